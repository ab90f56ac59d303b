import { spyOn } from "bun:test";
import { Encrypter } from "age-encryption";

/**
 * Encrypts with a passphrase that is cheap to derive a key from, since it takes more than a second at the usual cost,
 * with which src/backup/archive.test.ts encrypts. Decryption reads the cost from the file.
 */
export async function withCheapPassphrases<Result>(use: () => Promise<Result>): Promise<Result> {
  const { setPassphrase } = Encrypter.prototype;
  const spy = spyOn(Encrypter.prototype, "setPassphrase").mockImplementation(function (this: Encrypter, passphrase) {
    this.setScryptWorkFactor(10);
    setPassphrase.call(this, passphrase);
  });
  try {
    return await use();
  } finally {
    spy.mockRestore();
  }
}
