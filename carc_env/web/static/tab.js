// Shows whose turn it is to people who look at another tab: by the title, by the icon of the tab and, if they wish, by a notification.

import { byId } from "./dom.js";

const WISH = "carc notify";

export class Tab {
  constructor() {
    this.mine = false;
    byId("notify").hidden = !("Notification" in window) || !isSecureContext;
    byId("notify").addEventListener("click", () => this.toggle());
    this.showWish();
  }

  show(view, mine) {
    document.title = view.over ? `Over: ${view.question}` : mine ? `● Your turn · ${view.title ?? "Carcassonne"}` : view.question;
    const icon = document.querySelector("link[rel=icon]"), wanted = mine ? "icon-turn.svg" : "icon.svg";
    if (icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
    if (mine && !this.mine && document.hidden && this.wished) this.notify(view);
    this.mine = mine;
  }

  notify(view) {
    const note = new Notification("Your turn", { body: view.question, icon: "icon-turn.svg", tag: `carc ${view.id}` });
    note.addEventListener("click", () => { window.focus(); note.close(); });
  }

  get wished() {
    return localStorage.getItem(WISH) === "yes" && window.Notification?.permission === "granted";
  }

  async toggle() {
    const on = !this.wished && (await Notification.requestPermission()) === "granted";
    localStorage.setItem(WISH, on ? "yes" : "no");
    this.showWish();
  }

  showWish() {
    byId("notify").setAttribute("aria-pressed", String(this.wished));
    byId("notify-denied").hidden = window.Notification?.permission !== "denied";
  }
}
