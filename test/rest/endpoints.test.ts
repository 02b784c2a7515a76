import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { routes } from '#rest/v4/index.ts';

/** Method and path of every endpoint of the contract, parameters by the contract's names. */
const contract = lines('endpoints.txt');

describe('the endpoints of the contract', () => {
  it('are each answered by at most one route', () => {
    const shapes = routes.map(({ method, path }) => shape(`${method} ${path}`));
    expect(shapes.filter((one, index) => shapes.indexOf(one) !== index)).toEqual([]);
  });

  it('are all built', () => {
    const built = new Set(routes.map(({ method, path }) => shape(`${method} ${path}`)));
    expect(contract.filter((endpoint) => !built.has(shape(endpoint)))).toEqual([]);
  });
});

/** An endpoint without the names of its parameters. */
function shape(endpoint: string): string {
  return endpoint.replace(/:\w+/g, ':');
}

function lines(name: string): string[] {
  return fs
    .readFileSync(path.join(import.meta.dirname, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
