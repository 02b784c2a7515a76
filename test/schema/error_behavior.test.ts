import { expect, it } from 'vitest';
import { createClient, GantryError } from '../../clients/graphql/src/index.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const project = await world.project({ owner, visibility: 'public' });
await world.member(project, guest, 'guest');
const variables = { project: project.fullPath };

const CREATE = `mutation ($project: ProjectRef!) {
  createIssue(input: { project: $project, title: "Once" }) { issue { iid project { name webhooks { nodes { url } } } } } }`;
const READ = 'query ($project: ProjectRef!) { project(ref: $project) { name webhooks { nodes { url } } } }';

const send = async (parameters: object) => {
  const headers = { 'PRIVATE-TOKEN': guest.token };
  return (await world.send('POST', '/graphql', { headers, body: { variables, ...parameters } })).body;
};

it('says of an error below the payload of a mutation that its change was made', async () => {
  const { errors } = await send({ query: CREATE });
  expect(errors).toHaveLength(1);
  expect(errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', committed: true });
  expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(1);
});

it('says nothing of the kind where a mutation is refused, or a query', async () => {
  const query = `mutation ($project: ProjectRef!) { updateProject(input: { project: $project, description: "x" }) { project { name } } }`;
  for (const one of [query, READ]) {
    const { errors } = await send({ query: one });
    expect(errors[0].extensions.code).toBe('FORBIDDEN');
    expect(errors[0].extensions).not.toHaveProperty('committed');
  }
});

it('leaves what is around an error if the request asks for it, the first time and later', async () => {
  for (let turn = 0; turn < 3; turn++) {
    const { data, errors } = await send({ query: READ, onError: 'NULL' });
    expect(data).toEqual({ project: { name: project.name, webhooks: null } });
    expect(errors).toEqual([
      expect.objectContaining({
        path: ['project', 'webhooks'],
        extensions: expect.objectContaining({ code: 'FORBIDDEN' }),
      }),
    ]);
    expect((await send({ query: READ })).data).toEqual({ project: null });
    expect((await send({ query: READ, onError: 'PROPAGATE' })).data).toEqual({ project: null });
  }
  const created = await send({ query: CREATE, onError: 'NULL' });
  expect(created.data.createIssue.issue).toMatchObject({ iid: 2, project: { webhooks: null } });
});

it('takes it in the address of a query, too', async () => {
  const parameters = new URLSearchParams({ query: READ, variables: JSON.stringify(variables), onError: 'NULL' });
  const headers = { 'PRIVATE-TOKEN': guest.token, Accept: 'application/json' };
  const { body } = await world.send('GET', `/graphql?${parameters}`, { headers });
  expect(body.data).toEqual({ project: { name: project.name, webhooks: null } });
});

it.each(['null', 'ABORT', ''])('refuses %j, which it does not know', async (onError) => {
  const { data, errors } = await send({ query: READ, onError });
  expect(data ?? null).toBeNull();
  expect(errors[0].message).toBe('The parameter "onError" must be "PROPAGATE" or "NULL".');
});

it('gives the client package all that could be answered', async () => {
  const client = createClient({ url: world.url, token: guest.token });
  const refused = await client
    .query<unknown, typeof variables>(READ as never, variables)
    .catch((error: GantryError) => error);
  expect(refused).toBeInstanceOf(GantryError);
  expect((refused as GantryError).data).toEqual({ project: { name: project.name, webhooks: null } });
});
