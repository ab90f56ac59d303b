/** A server-sent event: its data, and the id to resume from. A comment has an id at most. */
export type StreamedEvent = { id: string | undefined; data: string | undefined };

/**
 * Creates a parser of server-sent events. It takes text in arbitrary chunks and returns the complete events. An
 * incomplete event is sent again after a reconnect.
 */
export function openEventReader(): (text: string) => StreamedEvent[] {
  let rest = "";
  let id: string | undefined;
  let data: string[] = [];
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    const events: StreamedEvent[] = [];
    for (const line of lines) {
      if (line.startsWith("id: ")) id = line.slice("id: ".length);
      else if (line.startsWith("data: ")) data.push(line.slice("data: ".length));
      else if (line === "") {
        if (id !== undefined || data.length > 0) {
          events.push({ id, data: data.length > 0 ? data.join("\n") : undefined });
        }
        id = undefined;
        data = [];
      }
    }
    return events;
  };
}
