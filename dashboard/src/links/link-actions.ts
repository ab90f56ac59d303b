import type { Link } from "./links-api.ts";

/** Called with the links of an action once the server has carried it out. */
export type OnDone = (links: readonly Link[]) => void;

/** A state of a link that is on or off. */
export type LinkSwitch = "archived" | "disabled";

/** Actions on a link in the list. */
export type RowActions = {
  edit(link: Link): void;
  qr(link: Link): void;
  share(link: Link): void;
  why(link: Link): void;
  history(link: Link): void;
  duplicate(link: Link): void;
  set(name: LinkSwitch, links: readonly Link[], isOn: boolean, onDone?: OnDone): void;
  /** Opens a dialog first, as remove does. */
  move(links: readonly Link[], onDone?: OnDone): void;
  remove(links: readonly Link[], onDone?: OnDone): void;
};

/** Actions on the selected links. */
export type BulkActions = Pick<RowActions, "set" | "move" | "remove"> & {
  tag(links: readonly Link[], onDone?: OnDone): void;
  /** Opens the dialog that downloads the QR codes. */
  zipQrCodes(links: readonly Link[]): void;
};

/** An action that a dialog asks about before it is carried out. */
export type BulkAction = {
  kind: "tag" | "move" | "remove" | "qrCodes";
  links: readonly Link[];
  onDone?: OnDone | undefined;
};
