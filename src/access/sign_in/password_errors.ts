/** Fewest and most characters of a password. */
const PASSWORD = { minimum: 8, maximum: 128 };

/** The errors of a new password; empty if there are none. */
export function passwordErrors(password: string): string[] {
  if (password === '') return ["can't be blank"];
  if (password.length < PASSWORD.minimum) return [`is too short (minimum is ${PASSWORD.minimum} characters)`];
  if (password.length > PASSWORD.maximum) return [`is too long (maximum is ${PASSWORD.maximum} characters)`];
  return [];
}
