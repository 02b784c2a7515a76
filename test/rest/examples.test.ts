import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { faultsOfBody, faultsOfRequest } from '../support/documented.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';

const document: Json = JSON.parse(readFileSync(packagePath('rest/openapi.json'), 'utf8'));

interface Operation {
  id: string;
  path: string;
  method: string;
  object: Json;
}

const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, object]) => ({ id: object.operationId, path, method, object })),
);

/** The answers in JSON that an operation has when it succeeds. */
const answers = ({ object }: Operation) =>
  Object.entries<Json>(object.responses).filter(
    ([status, response]) => /^2/.test(status) && response.content?.['application/json'],
  );

describe('The examples of the REST API', () => {
  it('are there for every operation that answers with JSON', () => {
    const lacking = operations.filter((one) => {
      const all = answers(one);
      return all.length > 0 && !all.some(([, { content }]) => 'example' in content['application/json']);
    });
    expect(lacking.map(({ id }) => id)).toEqual([]);
  });

  it('are as the document says', LONG, () => {
    const faults = operations.flatMap((one) => {
      const { id, path, method, object } = one;
      const ofAnswers = answers(one).flatMap(([status, { content }]) => {
        const { example } = content['application/json'];
        return example === undefined ? [] : faultsOfBody(path, method, Number(status), example);
      });
      const sent = object.requestBody?.content['application/json']?.example;
      const ofRequest = sent === undefined ? [] : faultsOfRequest(path, method, sent);
      return [...ofAnswers, ...ofRequest].map((fault) => `${id}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  it('tell no secret, and nothing of the machine that they come from', () => {
    const text = readFileSync(packagePath('rest/examples.json'), 'utf8');
    const told = text.match(/127\.0\.0\.1|localhost|\/tmp\/|\/dev\/shm|gl[a-z]+-(?!X{20})[\w.-]{16,}/g);
    expect(told ?? []).toEqual([]);
  });
});
