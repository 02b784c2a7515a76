import { type ASTNode, Kind, visit } from 'graphql';

/** How deep values are looked into. */
const DEEPEST = 10;

/**
 * The names of fields whose text holds a NUL, which the database cannot keep: among the variables of a request, and in what these
 * nodes of its document are given.
 */
export function fieldsWithNul(nodes: readonly ASTNode[], variables: unknown): string[] {
  const fields = new Set<string>();
  const look = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'string' && value.includes('\0')) fields.add(path.at(-1) ?? '');
    if (typeof value !== 'object' || value === null || path.length > DEEPEST) return;
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
      // What is below is given to others.
      SelectionSet: () => false,
      [Kind.STRING]: ({ value }) => look(value, path),
    });
  }
  return [...fields].filter((name) => name !== '');
}
