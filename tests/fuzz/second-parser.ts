import { HTTPParser } from "http-parser-js";

/** A request as the second parser reads it. */
export type ParsedRequest = {
  method: string;
  url: string;
  fields: [string, string][];
  body: Buffer;
  isUpgrade: boolean;
};

// The parser's default drops the highest bit of each byte.
Object.assign(HTTPParser, { encoding: "latin1" });

/** The whole requests that http-parser-js finds, until the bytes end or it refuses them. */
export function readBySecondParser(bytes: Buffer): { requests: ParsedRequest[]; isRefused: boolean; isAtEnd: boolean } {
  const requests: ParsedRequest[] = [];
  let current: ParsedRequest | undefined;
  const parser = new HTTPParser(HTTPParser.REQUEST);
  parser[HTTPParser.kOnHeadersComplete] = ({ method, url, headers, upgrade }) => {
    const fields = headers.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name.toLowerCase(), headers[index + 1] ?? ""]] : [],
    );
    current = { method: HTTPParser.methods[method] ?? "", url, fields, body: Buffer.alloc(0), isUpgrade: upgrade };
  };
  parser[HTTPParser.kOnBody] = (chunk, offset, length) => {
    if (current !== undefined) current.body = Buffer.concat([current.body, chunk.subarray(offset, offset + length)]);
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    if (current !== undefined) requests.push(current);
    current = undefined;
  };
  const read = parser.execute(bytes);
  return { requests, isRefused: typeof read !== "number", isAtEnd: read === bytes.length && current === undefined };
}
