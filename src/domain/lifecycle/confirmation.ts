import { ValidationFailed } from '#src/platform/errors.ts';

/** Refuses to go on where the full path that was typed to confirm something is another one. Null and undefined: nobody was asked. */
export function requireConfirmation(typed: string | null | undefined, fullPath: string): void {
  if (typed == null || typed.trim() === fullPath) return;
  throw new ValidationFailed({ confirmation: [`is not ${fullPath}`] });
}
