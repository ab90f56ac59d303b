/** What is shown under these is an image and nothing else, whatever is in it: an SVG may hold a script. */
export const imageHeaders = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
};
