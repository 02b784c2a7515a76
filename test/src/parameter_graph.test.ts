import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ParameterGraph, parameterGraph } from '#src/platform/database/parameter_graph.ts';

/*
 * Prisma's runtime tells the values of a query from its form by a graph that comes with the client; our copy of the runtime reads it lazily.
 */
const generated = readFileSync(new URL('../../src/generated/prisma/internal/class.ts', import.meta.url), 'utf8');
const strings: string[] = JSON.parse(JSON.parse(/strings: JSON\.parse\((".*")\)/.exec(generated)?.[1] ?? ''));
const serialized = { strings, graph: /graph: "([^"]+)"/.exec(generated)?.[1] ?? '' };

test('the arguments of a query lead to the columns that they are compared with', () => {
  const graph = parameterGraph(serialized);
  const where = argument(graph, graph.roots['Issue.findMany']?.argsNodeId, 'where');
  const title = argument(graph, where.childNodeId, 'title');
  expect(title.flags & SCALAR).toBe(SCALAR);
  const project = argument(graph, where.childNodeId, 'project');
  expect(project.flags & OBJECT).toBe(OBJECT);
  expect(argument(graph, project.childNodeId, 'namespaceId').flags & SCALAR).toBe(SCALAR);
});

test('every node can be read, and leads to others that there are', () => {
  const { inputNodes, outputNodes } = parameterGraph(serialized);
  const edges = inputNodes.flatMap(({ edges }) => Object.entries(edges));
  expect(edges.length).toBeGreaterThan(10_000);
  const astray = edges.filter(
    ([name, { childNodeId = 0, enumNameIndex = 0 }]) =>
      strings[Number(name)] === undefined ||
      inputNodes[childNodeId] === undefined ||
      strings[enumNameIndex] === undefined,
  );
  expect(astray).toEqual([]);
  const further = outputNodes.flatMap(({ edges }) => Object.values(edges));
  const lost = further.filter(
    ({ argsNodeId = 0, outputNodeId = 0 }) =>
      inputNodes[argsNodeId] === undefined || outputNodes[outputNodeId] === undefined,
  );
  expect(lost).toEqual([]);
});

const SCALAR = 1;
const OBJECT = 32;

function argument(graph: ParameterGraph, node: number | undefined, name: string) {
  const edge = graph.inputNodes[node ?? -1]?.edges[strings.indexOf(name)];
  if (edge === undefined) throw new Error(`There is no argument ${name}`);
  return edge;
}
