import { type ASTNode, Kind, visit } from 'graphql';

/** Maximum depth of values. */
const MAX_VALUE_DEPTH = 10;

/**
 * The names of fields whose text contains NUL, which the database cannot store: among the variables of a request, and in the
 * arguments of these nodes of its document.
 */
export function fieldsWithNul(nodes: readonly ASTNode[], variables: unknown): string[] {
  const fields = new Set<string>();
  const look = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'string' && value.includes('\0')) fields.add(path.at(-1) ?? '');
    if (typeof value !== 'object' || value === null || path.length > MAX_VALUE_DEPTH) return;
    for (const [key, inner] of Object.entries(value)) look(inner, Array.isArray(value) ? path : [...path, key]);
  };
  look(variables, []);
  const path: string[] = [];
  const named = {
    enter: ({ name }: { name: { value: string } }) => void path.push(name.value),
    leave: () => void path.pop(),
  };
  for (const node of nodes) {
    visit(node, {
      Argument: named,
      ObjectField: named,
      // The selections below have arguments of their own.
      SelectionSet: () => false,
      [Kind.STRING]: ({ value }) => look(value, path),
    });
  }
  return [...fields].filter((name) => name !== '');
}
