"""Contains modules for tiles, map sheets, action ids, the layout of observations, and the chances of completing
features.
"""
