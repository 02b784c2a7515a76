/** The promise that a value of a resolver is, also where it is one of another kind, as Prisma's are; null if it is none. */
export function promiseOf(value: unknown): Promise<unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  if (value instanceof Promise) return value;
  return 'then' in value && typeof value.then === 'function' ? Promise.resolve(value) : null;
}
