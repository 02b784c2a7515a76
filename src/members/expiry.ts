import type { FieldErrors } from '#src/platform/errors.ts';

/** What is wrong with the day on which a membership is to expire: days before today (UTC) are over already. */
export function expiryErrors(expiresAt: string | null | undefined): FieldErrors {
  const today = new Date().toISOString().slice(0, 10);
  return expiresAt != null && expiresAt < today ? { expires_at: ['cannot be a date in the past'] } : {};
}
