import { type ASTNode, parse, print, visit } from 'graphql';

/** schema/released.graphql for a schema that is released as a version: what clients can break on, so no descriptions. */
export function asReleased(schema: string, version: string): string {
  const bare = (node: ASTNode) => ('description' in node ? { ...node, description: undefined } : undefined);
  return `# The schema of version ${version}.\n\n${print(visit(parse(schema), { enter: bare }))}\n`;
}

/** The version that schema/released.graphql is of; null if it does not say. */
export function releasedVersion(released: string): string | null {
  return /^# The schema of version (\S+)\.$/m.exec(released)?.[1] ?? null;
}
