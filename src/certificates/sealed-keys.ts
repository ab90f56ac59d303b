import { openSeal, type Seal } from "../base/seal.ts";

/** Private keys and challenges as the tables hold them; the identity names the row and column. */
export type SealedKeys = {
  seal(text: string, column: SealedColumn, id: string): string;
  /** Throws WrongSecret when the text was sealed with another secret. */
  open(sealed: string, column: SealedColumn, id: string): string;
};

/** The columns that hold sealed texts. */
type SealedColumn =
  | "acmeAccounts.sealedKey"
  | "certificates.sealedKey"
  | "certificates.orderKey"
  | "certificates.challenge";

/** A sealed text cannot be opened. The message tells the operator what to do. */
export class WrongSecret extends Error {
  override readonly name = "WrongSecret";

  constructor(column: SealedColumn, id: string) {
    super(
      `The private key of ${id} (${column}) was encrypted with another secret. Set WAYPOST_SECRET to the secret with which it was stored, or restore the file "secret" of the data folder. If it is lost, run waypost certificates forget-keys.`,
    );
  }
}

/** Opens the encryption of private keys with the instance's secret. */
export function openSealedKeys(secret: string): SealedKeys {
  const seal: Seal = openSeal(secret, "certificates");
  return {
    seal: (text, column, id) => seal.seal(text, identityOf(column, id)),
    open(sealed, column, id) {
      const text = seal.open(sealed, identityOf(column, id));
      if (text === undefined) throw new WrongSecret(column, id);
      return text;
    },
  };
}

function identityOf(column: SealedColumn, id: string): string {
  return `${column}\n${id}`;
}
