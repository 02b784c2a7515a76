import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, path: 'parameters.v1' });
  at = `/projects/${project.id}`;
});

describe('Parameters', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=XX' };
  const part = (name: string, value: string) =>
    `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  it.each([
    ['the query', (name: string) => ({ query: `?name=${name}&color=red` })],
    ['a form', (name: string) => ({ headers: form, body: `name=${name}&color=red` })],
    [
      'multipart',
      (name: string) => ({ headers: multipart, body: `${part('name', name)}${part('color', 'red')}--XX--\r\n` }),
    ],
    ['JSON', (name: string) => ({ body: { name, color: 'red' } })],
  ])('come in %s alike, on POST, PUT and DELETE', async (_way, encode) => {
    const name = world.unique('way');
    for (const [method, status] of [
      ['POST', 201],
      ['PUT', 200],
      ['DELETE', 204],
    ] as const) {
      const {
        query = '',
        headers = {},
        body,
      } = encode(name) as { query?: string; headers?: Record<string, string>; body?: unknown };
      const sent = { headers: { ...headers, 'PRIVATE-TOKEN': owner.token }, ...(body === undefined ? {} : { body }) };
      expect(await world.send(method, `/api/v4${at}/labels${query}`, sent)).toMatchObject({ status });
    }
    expect(await world.db.label.count({ where: { projectId: project.id, title: name } })).toBe(0);
  });

  it('in malformed JSON are refused with an error', async () => {
    const headers = { 'PRIVATE-TOKEN': owner.token, 'Content-Type': 'application/json' };
    for (const body of ['{"name":', '[1]', '"text"']) {
      const answer = await world.send('POST', `/api/v4${at}/labels`, { headers, body });
      expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    }
  });

  it('that are missing are named in their order, joined by commas', async () => {
    expect(await api.post(`${at}/labels`, {})).toMatchObject({
      status: 400,
      body: { error: 'name is missing, color is missing' },
    });
  });

  it.each([
    ['true', true],
    ['1', true],
    ['yes', true],
    ['on', true],
    ['T', true],
    [1, true],
    [true, true],
    ['false', false],
    ['0', false],
    ['no', false],
    ['off', false],
    [0, false],
    ['', false],
    [null, false],
  ])('take %j for a boolean', async (confidential, expected) => {
    expect(await api.post(`${at}/issues`, { title: 'b', confidential })).toMatchObject({
      status: 201,
      body: { confidential: expected },
    });
  });

  it.each([
    ['confidential', 'maybe'],
    ['milestone_id', 'abc'],
    ['assignee_id', '1.5'],
    ['due_date', '2020-13-45'],
    ['created_at', 'soon'],
    ['labels', { a: 'b' }],
    ['title', ['a', 'b']],
  ])('of the wrong type are refused: %s %j', async (name, value) => {
    const answer = await api.post(`${at}/issues`, { title: 't', [name]: value });
    expect(answer).toMatchObject({ status: 400, body: { error: `${name} is invalid` } });
  });

  it('outside of the enumeration are refused, and unknown ones ignored', async () => {
    const answer = await api.get(`${at}/issues?state=merged&sort=up&order_by=weight`);
    expect(answer.body).toEqual({
      error:
        'state does not have a valid value, order_by does not have a valid value, sort does not have a valid value',
    });
    expect(await api.get(`${at}/issues?nonsense=1`)).toMatchObject({ status: 200 });
  });

  it('in the path that are no number are 400, not 404', async () => {
    expect(await api.get(`${at}/issues/abc`)).toMatchObject({ status: 400, body: { error: 'issue_iid is invalid' } });
    expect(await api.get(`${at}/issues/99999999999`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    });
  });
});

describe('The order of checks', () => {
  it('is credentials, then parameters, then what is there', async () => {
    expect(await world.api().post('/projects/0/issues', {})).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    });
    expect(await api.post('/projects/0/issues', {})).toMatchObject({
      status: 400,
      body: { error: 'title is missing' },
    });
    expect(await api.post('/projects/0/issues', { title: 'x' })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
  });
});
