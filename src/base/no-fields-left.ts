/**
 * The type of what is left of an object whose fields have all been taken out of it: `left satisfies NoFields` does not
 * compile when the object has a further field.
 */
export type NoFieldsLeft = Record<PropertyKey, never>;
