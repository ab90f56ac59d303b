/** The options for ports; the later of two with the same port is the one to change. */
const names = ["WAYPOST_PORT", "WAYPOST_HTTP_PORT", "WAYPOST_HTTPS_PORT"] as const;

/** Names two options with the same port; undefined without such. Port 0 is any free port, so several may have it. */
export function equalPorts(ports: { readonly [Name in (typeof names)[number]]: number | undefined }) {
  for (const [index, name] of names.entries()) {
    const port = ports[name];
    if (port === undefined || port === 0) continue;
    const other = names.slice(0, index).find((each) => ports[each] === port);
    if (other !== undefined) return `${name}: port ${port} is that of ${other} too. Give each a different port.`;
  }
  return undefined;
}
