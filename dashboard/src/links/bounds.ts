/** Characters that fields take, as the API bounds them. */
export const keyCharactersMax = 190;
export const titleCharactersMax = 120;
export const descriptionCharactersMax = 240;
export const ownIdCharactersMax = 255;
export const utmCharactersMax = 255;
export const passwordCharactersMax = 1_000;
export const countryCharacters = 2;

/** A variant's share of a test, in percent. */
export const shareMin = 10;
export const shareMax = 90;
