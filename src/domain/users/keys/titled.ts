import { type PublicKey, parsePublicKey } from '#src/domain/users/keys/parse.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

/** Parses a key and its title. Throws ValidationFailed with all errors. */
export function parseTitledKey(title: string, key: string): PublicKey & { title: string } {
  const errors: FieldErrors = {};
  if (title.trim() === '') errors.title = ["can't be blank"];
  else if (title.length > 255) errors.title = ['is too long (maximum is 255 characters)'];
  else if (title.includes('\0')) errors.title = ['is invalid'];
  try {
    const result = parsePublicKey(key);
    if (Object.keys(errors).length === 0) return { title: title.trim(), ...result };
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    throw new ValidationFailed({ ...errors, ...error.fields }, undefined, undefined, error.details);
  }
  throw new ValidationFailed(errors);
}
