// A bot for Node.js: it plays the last legal action. Run it with `node last_answer.js`.
const lines = require("readline").createInterface({ input: process.stdin });
let position = null;

lines.on("line", (line) => {
  const [command, ...words] = line.trim().split(" ");
  const rest = words.join(" ");
  if (command === "carc") console.log("id name last answer\nready");
  else if (command === "isready") console.log("readyok");
  else if (command === "position") position = JSON.parse(rest);
  else if (command === "go") console.log(position ? `best ${position.legal.at(-1)}` : "error no position yet");
  else if (command === "quit") process.exit(0);
  else if (command) console.log(`error unknown command ${command}`);
});
