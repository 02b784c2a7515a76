import { readFileSync } from 'node:fs';
import { buildSchema, execute, isInputObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '#schema/answer/error_codes.ts';
import { OTHERWISE } from '#schema/answer/input_names.ts';
import { maskError } from '#schema/errors.ts';
import { schema } from '#schema/index.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const admin = await world.user({ admin: true });
const project = await world.project({ owner });
await world.label(project, owner, 'bug');

interface Told {
  message: string;
  path?: (string | number)[];
  locations?: unknown[];
  extensions: { code: string; fields?: Record<string, string[]> };
}

async function errorsOf(query: string, variables: Record<string, unknown> = {}, who = owner): Promise<Told[]> {
  return (await world.graphql(query, variables, who)).body.errors;
}

const createLabel = 'mutation ($input: CreateLabelInput!) { createLabel(input: $input) { label { title } } }';
const updateProject = 'mutation ($input: UpdateProjectInput!) { updateProject(input: $input) { project { name } } }';

describe('docs/graphql.md', () => {
  it('lists each code with its meaning, and no other', () => {
    const text = readFileSync(packagePath('docs/graphql.md'), 'utf8');
    const rows = [...text.matchAll(/^\| `([A-Z_]+)` \| (.*) \|$/gm)].map(([, code, meaning]) => [code, meaning]);
    expect(Object.fromEntries(rows)).toEqual(ERROR_CODES);
  });
});

describe('What is wrong with values is told with the names of the input', () => {
  it('for each field at once', async () => {
    const [error, ...others] = await errorsOf(createLabel, {
      input: { project: project.id, title: 'a,b', color: 'reddish', priority: -1 },
    });
    expect(others).toEqual([]);
    expect(error).toMatchObject({
      message: 'title is invalid, color must be a valid color code, priority must be greater than or equal to 0',
      path: ['createLabel'],
      extensions: {
        code: 'VALIDATION_FAILED',
        fields: {
          'input.title': ['is invalid'],
          'input.color': ['must be a valid color code'],
          'input.priority': ['must be greater than or equal to 0'],
        },
      },
    });
  });

  it('where a text holds a NUL, in variables and in the document', async () => {
    const told = {
      message: 'title cannot hold the character NUL',
      extensions: { code: 'BAD_REQUEST', fields: { 'input.title': ['cannot hold the character NUL'] } },
    };
    const input = { project: project.id, title: 'a\0b', color: '#00ff00' };
    expect(await errorsOf(createLabel, { input })).toMatchObject([told]);
    const inline = `mutation { createLabel(input: { project: "${project.id}", title: "a\\u0000b", color: "#00ff00" }) {
      label { title } } }`;
    expect(await errorsOf(inline)).toMatchObject([told]);
  });

  it('whatever v4 calls them', async () => {
    const group = await world.group({ owner, visibility: 'private' });
    const [wide] = await errorsOf(updateProject, {
      input: {
        project: (await world.project({ owner, namespaceId: group.id, visibility: 'private' })).id,
        visibility: 'PUBLIC',
      },
    });
    expect(Object.keys(wide?.extensions.fields ?? {})).toEqual(['input.visibility']);
    const rest = await world.api(owner).put(`/projects/${project.id}`, { path: '-', visibility: 'public' });
    expect(Object.keys(rest.body.message)).toEqual(['path']);
    const settings =
      'mutation ($input: UpdateApplicationSettingsInput!) { updateApplicationSettings(input: $input) { settings { homePageUrl } } }';
    const [several] = await errorsOf(settings, { input: { homePageUrl: 'no url', maxAttachmentSize: 0 } }, admin);
    expect(several?.extensions.fields).toEqual({
      'input.homePageUrl': ['must be a valid URL'],
      'input.maxAttachmentSize': ['must be greater than 0'],
    });
    expect(several?.message).not.toContain('_');
  });

  it('where two are taken, of both, and REST tells the first', async () => {
    const taken = {
      name: 'N',
      password: 'correct horse',
      username: owner.username,
      email: `${owner.username}@example.org`,
    };
    const create = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { name } } }';
    expect(await errorsOf(create, { input: taken }, admin)).toMatchObject([
      {
        message: 'Email has already been taken',
        extensions: {
          code: 'CONFLICT',
          fields: { 'input.email': ['has already been taken'], 'input.username': ['has already been taken'] },
        },
      },
    ]);
    expect((await world.api(admin).post('/users', taken)).body).toEqual({ message: 'Email has already been taken' });
  });

  it('where v4 tells one before the others, of all of them, and REST tells the one', async () => {
    const create = 'mutation ($input: CreateProjectInput!) { createProject(input: $input) { project { name } } }';
    const deploy =
      'mutation ($input: CreateDeploymentInput!) { createDeployment(input: $input) { deployment { ref } } }';
    const user = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { name } } }';
    const settings =
      'mutation ($input: UpdateApplicationSettingsInput!) { updateApplicationSettings(input: $input) { settings { homePageUrl } } }';
    const deployment = { environment: '', ref: '', sha: 'main', status: 'SUCCESS', tag: false };
    const named = async (query: string, input: object, who = owner) =>
      Object.keys((await errorsOf(query, { input }, who))[0]?.extensions.fields ?? {}).sort();
    expect(await named(create, { name: '-', importUrl: 'ftp://x' })).toEqual([
      'input.importUrl',
      'input.name',
      'input.path',
    ]);
    expect(await named(updateProject, { project: project.id, name: '-', defaultBranch: '..' })).toEqual([
      'input.defaultBranch',
      'input.name',
    ]);
    expect(await named(deploy, { project: project.id, ...deployment })).toEqual(['input.environment', 'input.ref']);
    expect(await named(user, { name: '', username: 'x', email: 'x' }, admin)).toEqual([
      'input.email',
      'input.name',
      'input.password',
    ]);
    expect(await named(settings, { codeideEnabled: true, homePageUrl: 'x' }, admin)).toEqual([
      'input.codeideUrl',
      'input.homePageUrl',
    ]);
    const register =
      'mutation ($input: RegisterOAuthApplicationInput!) { registerOAuthApplication(input: $input) { oauthApplication { name } } }';
    expect(await named(register, { name: '', redirectUris: ['x'], scopes: ['API'], confidential: true })).toEqual([
      'input.name',
      'input.redirectUris',
    ]);
    const rest = await world.api(owner).post('/projects', { name: '-', import_url: 'ftp://x' });
    expect([rest.status, Object.keys(rest.body.message)]).toEqual([400, ['import_url']]);
  });

  it('as the schema has them', () => {
    const known = Object.values(schema.getTypeMap()).flatMap((type) =>
      isInputObjectType(type) ? Object.keys(type.getFields()) : [],
    );
    for (const names of Object.values(OTHERWISE))
      expect(known).toEqual(expect.arrayContaining([expect.toBeOneOf(names)]));
  });

  it('in arguments of lists', async () => {
    const errors = await errorsOf(`{ project(ref: ${project.id}) { labels(after: "x") { nodes { title } } } }`);
    expect(errors).toMatchObject([
      {
        path: ['project', 'labels'],
        extensions: { code: 'VALIDATION_FAILED', fields: { after: ['is not a cursor of this list'] } },
      },
    ]);
  });
});

describe('Values of the wrong type are told in the same form', () => {
  const createMilestone =
    'mutation ($input: CreateMilestoneInput!) { createMilestone(input: $input) { milestone { title } } }';

  it('in variables, all at once', async () => {
    const { body, status } = await world.graphql(
      createMilestone,
      { input: { project: project.id, dueDate: 'soon', startDate: 5, secretly: 'hunter2' } },
      owner,
    );
    expect([status, body]).toEqual([
      200,
      {
        errors: [
          {
            message: expect.stringContaining('dueDate is not a date (YYYY-MM-DD)'),
            locations: expect.any(Array),
            extensions: {
              code: 'VALIDATION_FAILED',
              fields: {
                'input.title': ['is required'],
                'input.dueDate': ['is not a date (YYYY-MM-DD)'],
                'input.startDate': ['is not a date (YYYY-MM-DD)'],
                'input.secretly': ['is not known here'],
              },
            },
          },
        ],
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(await world.db.milestone.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('in variables by the argument where they are used, the second time too, when the document has its plan', async () => {
    const query = `query ($p: ProjectRef!, $many: Int, $order: IssueOrder! = CREATED_AT) {
      project(ref: $p) { issues(first: $many, orderBy: $order) { nodes { title } } } }`;
    for (let time = 1; time <= 3; time += 1) {
      const errors = await errorsOf(query, { p: ['x'], many: 'ten', order: 'SIZE' });
      expect(errors).toMatchObject([
        {
          extensions: {
            code: 'VALIDATION_FAILED',
            fields: {
              ref: ['is neither an ID nor a full path'],
              first: ['must be an integer of 32 bits'],
              orderBy: [expect.stringMatching(/^must be one of \w+, /)],
            },
          },
        },
      ]);
      await world.graphql(query, { p: project.id, many: 1 }, owner);
    }
  });

  it('in the document, for each of its fields', async () => {
    const errors = await errorsOf(`mutation {
      one: createLabel(input: { project: ${project.id}, title: 5, color: "red" }) { label { title } }
      two: createMilestone(input: { project: true, title: "x", dueDate: "soon" }) { milestone { title } }
    }`);
    expect(errors.map(({ extensions }) => extensions)).toEqual([
      { code: 'VALIDATION_FAILED', fields: { 'input.title': ['must be a string'] } },
      {
        code: 'VALIDATION_FAILED',
        fields: {
          'input.project': ['is neither an ID nor a full path'],
          'input.dueDate': ['is not a date (YYYY-MM-DD)'],
        },
      },
    ]);
    expect(errors.every(({ locations }) => locations?.length === 1)).toBe(true);
  });

  it('in lists by their place', async () => {
    const query =
      'query ($labels: [String!]) { project(ref: 1) { issues(filter: { labels: $labels }) { nodes { title } } } }';
    expect((await errorsOf(query, { labels: ['a', null, 3] }))[0]?.extensions.fields).toEqual({
      'filter.labels.1': ['must not be null'],
      'filter.labels.2': ['must be a string'],
    });
  });

  it('up to fifty places', async () => {
    const query =
      'query ($labels: [String!]) { project(ref: 1) { issues(filter: { labels: $labels }) { nodes { title } } } }';
    const inVariables = await errorsOf(query, { labels: Array(10_000).fill(3) });
    expect(inVariables.map(({ extensions }) => Object.keys(extensions.fields ?? {}).length)).toEqual([50]);
    const inDocument = await errorsOf(
      `{ project(ref: 1) { issues(filter: { labels: [${'3 '.repeat(1_000)}] }) { nodes { title } } } }`,
    );
    expect(inDocument.length).toBeLessThanOrEqual(100);
    expect(inDocument.flatMap(({ extensions }) => Object.keys(extensions.fields ?? {})).length).toBe(50);
  });

  it('where a variable that may be null stands for what may not', async () => {
    const query = 'query ($p: ProjectRef = 1) { project(ref: $p) { name } }';
    const { body } = await world.graphql(query, { p: null }, owner);
    expect(body).toMatchObject({
      data: { project: null },
      errors: [{ extensions: { code: 'VALIDATION_FAILED', fields: { ref: ['must not be null'] } } }],
    });
  });
});

describe('Each error has a code', () => {
  const codes = (body: { errors: Told[] }) => body.errors.map(({ extensions }) => extensions.code);

  it('also where the request is not executed', async () => {
    const ask = async (body: unknown) => codes((await world.send('POST', '/graphql', { body })).body);
    expect(await ask({ query: '{ version {' })).toEqual(['GRAPHQL_PARSE_FAILED']);
    expect(await ask({ query: '{ nothing, version { no } }' })).toEqual(Array(2).fill('GRAPHQL_VALIDATION_FAILED'));
    expect(await ask({ query: '{ project { name } }' })).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(await ask({})).toEqual(['BAD_REQUEST']);
    expect(await ask({ query: 'query A { version { version } } query B { version { version } }' })).toEqual([
      'BAD_REQUEST',
    ]);
    expect(await ask(Array(11).fill({ query: '{ version { version } }' }))).toEqual(['BAD_REQUEST']);
    const mutation = encodeURIComponent('mutation { renewPrivateToken(input: {}) { privateToken } }');
    expect(codes((await world.send('GET', `/graphql?query=${mutation}`, {})).body)).toHaveLength(1);
  });

  it('and a message without the words of HTTP and of v4', async () => {
    const play = `mutation { playJob(input: { project: ${project.id}, id: 1 }) { job { name } } }`;
    const deny = `mutation { denyProjectAccessRequest(input: { project: ${project.id}, userId: 999999 }) { deniedUserId } }`;
    for (const query of [play, deny]) {
      for (const { message } of await errorsOf(query)) expect(message).not.toMatch(/\d{3} |_|[a-z][A-Z]/);
    }
    expect(await errorsOf(deny)).toMatchObject([{ message: 'Access request not found' }]);
  });
});

describe('A token that is nobody’s', () => {
  const version = '{ __typename }';
  const ask = (headers: Record<string, string>) =>
    world.send('POST', '/graphql', { headers, body: { query: version } });

  it('is UNAUTHENTICATED wherever it is sent: unknown, revoked, expired, or of a user who is blocked', async () => {
    const revoked = await world.token(owner);
    await world.db.personalAccessToken.updateMany({ where: { userId: owner.id }, data: { revoked: true } });
    const expired = await world.token(admin, ['api'], new Date('2001-01-01'));
    const blocked = await world.user({ blocked: true });
    for (const token of ['unknown', revoked, expired, blocked.token]) {
      const ways: Record<string, string>[] = [{ 'PRIVATE-TOKEN': token }, { Authorization: `Bearer ${token}` }];
      for (const headers of ways) {
        const { body } = await ask(headers);
        expect(body).toEqual({
          errors: [{ message: expect.stringContaining('token'), extensions: { code: 'UNAUTHENTICATED' } }],
        });
      }
    }
    const Accept = 'application/graphql-response+json';
    expect((await ask({ 'PRIVATE-TOKEN': 'unknown', Accept })).status).toBe(401);
    expect((await ask({ 'PRIVATE-TOKEN': 'unknown', Accept: 'application/json' })).status).toBe(200);
    const inQuery = await world.send('GET', `/graphql?access_token=unknown&query=${encodeURIComponent(version)}`, {});
    expect(inQuery.body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it('does not stop another one that is somebody’s, nor does the cookie of a session that has ended', async () => {
    const both = await ask({ 'PRIVATE-TOKEN': 'unknown', Authorization: `Bearer ${owner.token}` });
    const cookie = await ask({ Cookie: 'gantry_session=ended', Origin: world.url });
    for (const { body } of [both, cookie]) expect(body.errors).toBeUndefined();
  });
});

describe('What a resolver returned and the schema does not have', () => {
  it('is told as an unexpected error, and reported with its cause', async () => {
    const small = buildSchema('enum Mood { GLAD SAD } type Query { mood: Mood }');
    const { errors = [] } = await execute({ schema: small, document: parse('{ mood }'), rootValue: { mood: 'ANGRY' } });
    const reported: unknown[] = [];
    const masked = errors.map((error) => maskError(error, (cause) => reported.push(cause)));
    expect(masked).toMatchObject([
      { message: 'Unexpected error.', path: ['mood'], extensions: { code: 'INTERNAL_SERVER_ERROR' } },
    ]);
    expect(reported.map(String)).toEqual([expect.stringContaining('ANGRY')]);
  });
});
