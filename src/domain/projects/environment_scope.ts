const MAX_SCOPE_LENGTH = 255;
const SCOPE = /^[a-zA-Z0-9_\-/${}. *]+$/;

/** What is wrong with the name of an environment, or a pattern of such names with `*`; empty if nothing is. */
export function scopeErrors(scope: string): string[] {
  if (scope.length > MAX_SCOPE_LENGTH) return [`is too long (maximum is ${MAX_SCOPE_LENGTH} characters)`];
  if (SCOPE.test(scope)) return [];
  return ["can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"];
}
