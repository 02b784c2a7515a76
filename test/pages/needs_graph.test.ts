import { expect, it } from 'vitest';
import { needsGraph } from '#pages/needs_graph.ts';

const job = (name: string, stage: string, ...needs: string[]) => ({
  databaseId: name.length,
  name,
  status: 'SUCCESS',
  stage,
  needs,
});

it('places a job to the right of all that it needs, by the longest path', () => {
  const graph = needsGraph([
    job('compile', 'build'),
    job('unit', 'test', 'compile'),
    job('package', 'test', 'unit', 'compile'),
    job('lint', 'build'),
  ]);
  const x = new Map(graph?.boxes.map((box) => [box.job.name, box.x]));
  const place = (name: string) => x.get(name) ?? -1;
  expect(place('compile')).toBe(place('lint'));
  expect(place('unit')).toBeGreaterThan(place('compile'));
  expect(place('package')).toBeGreaterThan(place('unit'));
  expect(graph?.edges).toHaveLength(3);
  const boxes = graph?.boxes.map((box) => `${box.x} ${box.y}`) ?? [];
  expect(new Set(boxes).size).toBe(4);
});

it('is not drawn where no job needs another, or for more jobs than fit', () => {
  expect(needsGraph([job('a', 'one'), job('b', 'two')])).toBeNull();
  const many = Array.from({ length: 61 }, (_, at) => job(`j${at}`, 'one', ...(at > 0 ? [`j${at - 1}`] : [])));
  expect(needsGraph(many)).toBeNull();
  expect(needsGraph(many.slice(0, 60))?.boxes).toHaveLength(60);
});

it('leaves out needs that are not there, ends in a circle, and shortens long names', () => {
  const graph = needsGraph([job('a', 'one', 'b', 'gone'), job('b', 'one', 'a'), job('x'.repeat(60), 'one', 'a')]);
  expect(graph?.edges).toHaveLength(3);
  expect(graph?.boxes.at(-1)?.label).toMatch(/^x{18}…$/);
});
