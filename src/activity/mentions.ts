/** Whether texts may name users or records, such as `@ann`, `#4`, `!2` or a commit: a cheap test that is right about "no". */
export function mayMention(...texts: (string | null)[]): boolean {
  return texts.some((text) => text !== null && /[@#!]|[0-9a-f]{7}|issues\/|merge_requests\//i.test(text));
}
