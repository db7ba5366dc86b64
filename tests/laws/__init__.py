"""Laws: what holds in every game, tried on random games through the public interface."""
