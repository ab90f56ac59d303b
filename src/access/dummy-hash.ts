/** A hash like all others, of a password that nobody has: an unknown account takes as long as a wrong password. */
export const dummyHash =
  "$argon2id$v=19$m=65536,t=2,p=1$owXu5r+3yDraBREVBTnPxLZZZKsDhR7RA1h2hVFtkmw$IFUjVnYQNw90VUBoClHNFYKh/gjIe7UUKLKuTLh7Ph4";
