import type { Request } from 'express';
import { passwordErrors } from '#src/access/sign_in/password_errors.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

/** The errors of a form, by field name. */
export type Problems = Record<string, string>;

/** The value of a field, the last one if it is repeated; empty if missing. */
export function text(value: unknown): string {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last : '';
}

/** The errors of a ValidationFailed; `names` maps fields that have other names in the form. Rethrows all other errors. */
export function problemsOf(error: unknown, names: Record<string, string> = {}): Problems {
  if (!(error instanceof ValidationFailed)) throw error;
  return toProblems(error.fields, names);
}

/**
 * Runs `work` with the new password of a form. If the two passwords do not match, nothing is done, and that is reported together
 * with the errors that `check` finds. Throws ValidationFailed, and what `work` and `check` throw.
 */
export async function withNewPassword<Result>(
  { body }: Request,
  work: (password: string) => Promise<Result>,
  check: (password: string) => FieldErrors | Promise<FieldErrors> = passwordOnly,
): Promise<Result> {
  const password = text(body.new_password);
  if (password === text(body.new_password_again)) return work(password);
  throw new ValidationFailed({ ...(await check(password)), new_password_again: ['Passwords do not match'] });
}

function passwordOnly(password: string): FieldErrors {
  const errors = passwordErrors(password);
  return errors.length > 0 ? { password: errors } : {};
}

function toProblems(fields: FieldErrors, names: Record<string, string>): Problems {
  return Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [names[field] ?? field, messages.join(', ')]),
  );
}
