import type { Click } from "../../click.ts";
import { referrerGroupOf } from "../../referrer-group.ts";
import type { Row } from "./client.ts";
import { type TextField, textFields } from "./schema.ts";
import { dateTime, millisecondsOf } from "./sql.ts";

/** The columns of an insert into `clicks`, in the order of clickValues. */
export const clickColumns = [
  "workspaceId",
  "time",
  "id",
  "batch",
  "visitor",
  ...textFields,
  "refererGroup",
  "channel",
] as const;

/** The values of a click's row. */
export function clickValues(click: Click, batch: number): unknown[] {
  const { refererGroup, channel } = referrerGroupOf(click.referer);
  return [
    click.workspaceId,
    dateTime(click.time),
    click.id,
    batch,
    click.visitor === "" ? 0 : String(BigInt(`0x${click.visitor}`)),
    ...textFields.map((name) => click[name]),
    refererGroup,
    channel,
  ];
}

/** SQL for the columns that clickOf reads. */
export const selectedClick = [
  "toString(id) AS id",
  `${millisecondsOf("time")} AS time`,
  "workspaceId",
  `${visitorText("visitor")} AS visitor`,
  ...textFields,
].join(", ");

/** SQL for the text of a visitor's hash; '' for a visitor who opted out of tracking. */
export function visitorText(column: string): string {
  return `if(${column} = 0, '', lower(leftPad(hex(${column}), 16, '0')))`;
}

/** A row of selectedClick as a click. */
export function clickOf(row: Row): Click {
  const texts = Object.fromEntries(textFields.map((name) => [name, String(row[name])]));
  return {
    // There is a text for each of these fields, and all came from a Click.
    ...(texts as Pick<Click, TextField>),
    id: String(row["id"]),
    time: Number(row["time"]),
    workspaceId: Number(row["workspaceId"]),
    visitor: String(row["visitor"]),
  };
}
