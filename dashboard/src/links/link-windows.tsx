/** The window over the list that the address names. */
export function LinkWindows() {
  return null;
}
