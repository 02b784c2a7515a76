import fs from 'node:fs';
import path from 'node:path';
import { getNullableType, isListType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { compile } from '#rest/engine/compile.ts';
import { routes } from '#rest/v4/index.ts';
import { schema } from '#schema/index.ts';

/** Method and path of every endpoint of the contract, parameters by the contract's names. */
const contract = lines('endpoints.txt');

describe('the endpoints of the contract', () => {
  it('are each answered by at most one route', () => {
    const shapes = routes.map(({ method, path }) => shape(`${method} ${path}`));
    expect(shapes.filter((one, index) => shapes.indexOf(one) !== index)).toEqual([]);
  });

  it('answer every array in pages', () => {
    const compiled = routes
      .filter(({ method, raw }) => method === 'GET' && raw === undefined)
      .map((route) => compile(route, schema));
    const plain = compiled.filter(({ list, scalar }) => list || (scalar && isListType(getNullableType(scalar))));
    // The lines of one file, what one pipeline was given, the toggles of the server, the integrations that are set up, the rules of
    // one merge request, what administrators note of one record, and why one part of an import failed: clients of today take them
    // whole.
    const whole = [
      ...['/repository/files/:file_path/blame', '/pipelines/:pipeline_id/variables', '/features'],
      ...['/integrations', '/merge_requests/:merge_request_iid/approval_rules', '/custom_attributes', '/failures'],
    ];
    const others = plain.filter(({ route }) => !whole.some((path) => route.path.endsWith(path)));
    expect(others.map(({ route }) => `${route.method} ${route.path}`)).toEqual([]);
    expect(compiled.filter(({ paginated }) => paginated).length).toBeGreaterThan(30);
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
