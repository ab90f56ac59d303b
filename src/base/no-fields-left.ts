/**
 * The type of an object without fields. After destructuring all fields, `rest satisfies NoFieldsLeft` does not compile
 * when the object has another field.
 */
export type NoFieldsLeft = Record<PropertyKey, never>;
