import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { routes } from '#rest/v4/index.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { requireDocumented } from '../support/documented.ts';
import type { Answer, Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const text = readFileSync(packagePath('rest/openapi.json'), 'utf8');
const document: Json = JSON.parse(text);
const { schemas, parameters, responses } = document.components;
const operations: Json[] = Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods));
const at = (method: string, path: string): Json => document.paths[`/api/v4${path}`][method];
const bodyOf = (method: string, path: string): Json => {
  const { schema } = at(method, path).requestBody.content['application/json'];
  return schemas[schema.$ref.split('/').at(-1)];
};
const names = (method: string, path: string): string[] =>
  at(method, path).parameters.map((one: Json) => one.name ?? parameters[one.$ref.split('/').at(-1)].name);

describe('The OpenAPI document', () => {
  it('calls every operation by a name of its own that begins with a verb', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+[A-Z][A-Za-z0-9]+$/.test(id))).toEqual([]);
    expect(at('get', '/projects/{id}/issues').operationId).toBe('listProjectIssues');
    expect(at('get', '/user').operationId).toBe('getCurrentUser');
    expect(at('post', '/projects/{id}/trigger/pipeline').operationId).toBe('fireTrigger');
    expect(at('post', '/projects/{id}/ref/{ref}/trigger/pipeline').operationId).toBe('fireTriggerForRef');
    expect(at('get', '/projects/{id}/repository/archive.tar.gz').operationId).toBe('getRepositoryArchiveTarGz');
  });

  it('has an operation for every route, with summary, description, tag and the refusals that any may meet', () => {
    const headers = operations.filter(({ operationId }) => operationId.startsWith('head'));
    expect(operations.length - headers.length).toBe(routes.length);
    const tags = document.tags.map(({ name }: Json) => name);
    for (const { summary, description, tags: own, responses } of operations) {
      expect(summary).toMatch(/^[A-Z].*[^.]$/);
      expect(description).toMatch(/\.$/);
      expect(tags).toEqual(expect.arrayContaining(own));
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '404', '429', '500', '503']));
    }
  });

  it('describes every parameter and every key of a body and of an answer', () => {
    const lacking: string[] = [];
    const visit = (value: Json, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      // A record may have a key of that name.
      const ofRecord = value.type === 'object' ? value.properties : null;
      for (const [name, property] of Object.entries<Json>(ofRecord ?? {})) {
        if (!property.description && !property.$ref && property.const === undefined) lacking.push(`${path}.${name}`);
      }
      for (const [key, inner] of Object.entries(value)) visit(inner, `${path}.${key}`);
    };
    const { Message, FieldErrors, ParameterError, LimitError, TokenError, ...records } = schemas;
    visit(records, 'schemas');
    for (const { operationId, parameters: own } of operations) {
      lacking.push(...own.filter((one: Json) => !one.$ref && !one.description).map(() => operationId));
    }
    expect(lacking).toEqual([]);
  });

  it('says of no part of a path that it may be left out', () => {
    const parts = operations.flatMap(({ parameters: own }) => own.filter((one: Json) => one.in === 'path'));
    expect(parts.length).toBeGreaterThan(100);
    expect(
      parts.filter(({ description }) => /left out/.test(description)).map(({ description }) => description),
    ).toEqual([]);
  });

  it('says nothing in the words of GraphQL', () => {
    expect(text).not.toMatch(/lobal ID|Costs \d|Counts as|NOT_MODIFIED|CONFLICT|Included when|as the REST API/);
  });

  it('has the parameters of the contract that stand for others, do nothing yet, or hold for all', LONG, () => {
    const issue = bodyOf('post', '/projects/{id}/issues').properties;
    expect(issue).toMatchObject({
      merge_request_to_resolve_discussions_of: { type: ['integer', 'null'] },
      discussion_to_resolve: { type: ['string', 'null'] },
    });
    const { name, context } = bodyOf('post', '/projects/{id}/statuses/{sha}').properties;
    expect([name.default, context]).toEqual(['default', { ...name, description: 'Another name of `name`.' }]);
    for (const { operationId, parameters: own } of operations) {
      expect(own, operationId).toContainEqual({ $ref: '#/components/parameters/Sudo' });
    }
    expect(names('delete', '/projects/{id}/labels')).toEqual(['id', 'name', 'label_id', 'sudo']);
    expect(names('get', '/groups')).toContain('skip_groups[]');
  });

  it('has defaults, whether the operation or the schema names them', () => {
    const { schema } = at('get', '/projects/{id}/issues').parameters.find(({ name }: Json) => name === 'order_by');
    expect(schema).toEqual({ $ref: '#/components/schemas/IssueOrder', default: 'created_at' });
    expect(bodyOf('post', '/projects/{id}/issues').properties.confidential.default).toBe(false);
    expect(schemas.CommitActionInput.properties.encoding.default).toBe('text');
    expect(parameters.PerPage.schema).toMatchObject({ default: 20, maximum: 100 });
  });

  it('has the actions of a commit with their words and keys', () => {
    const { actions } = bodyOf('post', '/projects/{id}/repository/commits').properties;
    expect(actions.items).toEqual({ $ref: '#/components/schemas/CommitActionInput' });
    expect(schemas.CommitAction.enum.toSorted()).toEqual(['chmod', 'create', 'delete', 'move', 'update']);
    const { properties, required } = schemas.CommitActionInput;
    expect(Object.keys(properties).toSorted()).toEqual([
      'action',
      'content',
      'encoding',
      'execute_filemode',
      'file_path',
      'last_commit_id',
      'previous_path',
    ]);
    expect(required.toSorted()).toEqual(['action', 'file_path']);
  });

  it('takes null for what can be cleared, and gives null where an enum has no value', () => {
    const { properties } = bodyOf('put', '/projects/{id}/issues/{issue_iid}');
    expect(properties.due_date.type).toEqual(['string', 'null']);
    expect(properties.state_event.anyOf).toEqual([{ $ref: '#/components/schemas/IssueStateEvent' }, { type: 'null' }]);
    expect(schemas.SettingsRecord.properties.enabled_git_access_protocol.anyOf).toContainEqual({ type: 'null' });
    const inQuery = operations.flatMap(({ parameters: own }) => own.map(({ schema }: Json) => JSON.stringify(schema)));
    expect(inQuery.filter((schema) => schema?.includes('null'))).toEqual([]);
  });

  it('spells lists and maps in forms as the server reads them', () => {
    const { content } = at('post', '/users/{user_id}/impersonation_tokens').requestBody;
    const form = schemas[content['multipart/form-data'].schema.$ref.split('/').at(-1)];
    expect(form.properties['scopes[]'].type).toBe('array');
    const trigger = at('post', '/projects/{id}/trigger/pipeline').requestBody.content;
    expect(trigger['application/x-www-form-urlencoded'].encoding.variables).toEqual({
      style: 'deepObject',
      explode: true,
    });
  });

  it('tells content apart from JSON, parts from the whole, and answers without a body', () => {
    const raw = at('get', '/projects/{id}/repository/files/{file_path}/raw').responses;
    expect(Object.keys(raw[200].content)).toEqual(['text/plain', 'application/octet-stream']);
    expect(Object.keys(raw)).toEqual(expect.arrayContaining(['206', '304', '416']));
    expect(at('head', '/projects/{id}/repository/files/{file_path}/raw').responses[200]).not.toHaveProperty('content');
    expect(Object.keys(at('get', '/projects/{id}/repository/archive.zip').responses)).not.toContain('206');
    expect(Object.keys(at('get', '/projects/{id}/jobs/{job_id}/trace').responses[200].content)).toEqual(['text/plain']);
    expect(at('delete', '/projects/{id}/labels').responses[204]).not.toHaveProperty('content');
    expect(at('post', '/projects/{id}/star').responses[304]).toEqual({ $ref: '#/components/responses/Unchanged' });
    expect(responses.Unchanged).not.toHaveProperty('content');
    expect(Object.keys(at('post', '/projects/{id}/uploads').requestBody.content)).toEqual(['multipart/form-data']);
  });

  it('has the refusals that single routes have, and when to come again', () => {
    expect(at('post', '/projects/{id}/labels').responses[409].$ref).toMatch(/Conflict$/);
    expect(at('put', '/users/{id}').responses).not.toHaveProperty('409');
    expect(at('post', '/projects/{id}/repository/tags').responses[405].$ref).toMatch(/MethodNotAllowed$/);
    for (const name of ['TooManyRequests', 'ServiceUnavailable']) {
      expect(responses[name].headers).toEqual({ 'Retry-After': { $ref: '#/components/headers/RetryAfter' } });
    }
  });
});

describe('GET /openapi.json', () => {
  it('sends the document as it is in the package, to HEAD its size alone', LONG, async () => {
    const world = await startWorld({}, onTestFinished);
    const { status, headers, body } = await world.send('GET', '/api/v4/openapi.json');
    expect([status, headers['content-type'], body]).toEqual([200, 'application/json', document]);
    const again = { headers: { 'If-None-Match': headers.etag ?? '' } };
    expect(await world.send('GET', '/api/v4/openapi.json', again)).toMatchObject({ status: 304, body: null });
    expect(await world.send('HEAD', '/api/v4/openapi.json')).toMatchObject({
      status: 200,
      headers: { 'content-length': headers['content-length'] },
      body: null,
    });
  });
});

describe('Answers of the REST API', () => {
  const label = {
    id: 1,
    name: 'bug',
    color: '#ff0000',
    text_color: '#FFFFFF',
    archived: false,
    description_html: '',
    description: null,
    open_issues_count: 0,
    closed_issues_count: 0,
    open_merge_requests_count: 0,
    subscribed: false,
    priority: null,
    is_project_label: true,
  };
  const json = { 'content-type': 'application/json' };
  const path = '/api/v4/projects/1/labels';
  const require =
    (answer: Partial<Answer>, [method, target] = ['POST', path]) =>
    () =>
      requireDocumented(method, target, { status: 201, headers: json, body: label, ...answer });

  it('are as the document has them', () => {
    expect(require({})).not.toThrow();
    expect(require({ status: 400, body: { error: 'name is missing' } })).not.toThrow();
    expect(require({ status: 400, body: { message: { title: ['is invalid'] } } })).not.toThrow();
    expect(require({ status: 200, body: null }, ['DELETE', '/api/v4/user/keys/1'])).not.toThrow();
  });

  it.each<[string, Partial<Answer>, RegExp]>([
    ['a key is missing', { body: { ...label, priority: undefined } }, /required|priority/],
    ['a key is not documented', { body: { ...label, text: 'x' } }, /additional properties/],
    ['a value is of another type', { body: { ...label, id: '1' } }, /\/id must be integer/],
    ['null stands where there is always a value', { body: { ...label, color: null } }, /\/color must be string/],
    ['the status is not documented', { status: 202 }, /no status 202/],
    ['the content type is another one', { headers: { 'content-type': 'text/html' } }, /content type text\/html/],
    ['the body is missing', { body: null }, /must be object/],
    ['an error has another form', { status: 409, body: { error: 'no' } }, /must have required property 'message'/],
    ['a header is missing', { status: 429, body: { message: 'Later' } }, /Retry-After is missing/],
  ])('fail their test where %s', (_what, answer, message) => {
    const body = answer.body === undefined ? {} : { body: answer.body && JSON.parse(JSON.stringify(answer.body)) };
    expect(require({ ...answer, ...body })).toThrow(message);
  });

  it('fail their test where there is a body and none is documented', () => {
    const etag = { headers: { ...json, etag: 'W/"1"' } };
    expect(require({ ...etag, status: 304, body: {} }, ['GET', path])).toThrow(/There is a body/);
    expect(require({ ...etag, status: 304, body: null }, ['GET', path])).not.toThrow();
  });

  it('are left alone where the document has no such path or method', () => {
    const teapot = { status: 418, body: 'I am a teapot' };
    for (const target of ['/api/v4/teapots', '/api/v4/projects/1/label/2', '/graphql', '/api/v4/sidekiq/job_stats']) {
      expect(require(teapot, ['GET', target])).not.toThrow();
    }
    expect(require(teapot, ['PATCH', path])).not.toThrow();
  });
});
