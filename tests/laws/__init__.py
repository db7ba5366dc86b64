"""Laws: properties that hold in every game, tested on random games, mostly through the public interface."""
