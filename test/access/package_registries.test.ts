import { describe, expect, it } from 'vitest';
import { projectAbilities } from '#src/access/permissions/abilities.ts';
import { REGISTRY_ROUTES } from '#src/entrances/web/packages/registries.ts';
import { templateOf } from '#src/entrances/web/packages/serve.ts';
import { LONG } from '../support/long.ts';
import { basic, registryWorld } from '../support/registry.ts';
import { endJob, takenJob } from '../support/running_job.ts';

const { world, owner, master, developer, reporter, guest, stranger, made, send } = await registryWorld();
const [closed, open] = [await made(), await made({ visibility: 'public' })];
const { token: jobToken, id: jobId } = await takenJob(world, developer, closed);
const deployToken = async (...scopes: string[]) => {
  const values = { name: world.unique('token'), scopes, username: 'robot' };
  return (await world.api(owner).post(`/projects/${closed.id}/deploy_tokens`, values)).body.token as string;
};
const [reading, writing, other] = [
  await deployToken('read_package_registry'),
  await deployToken('write_package_registry'),
  await deployToken('read_repository'),
];
const readToken = await world.token(owner, ['read_api']);

/** The level that each has in the project that is closed. */
const PEOPLE = { guest, reporter, developer, master } as const;
const LEVELS = { guest: 10, reporter: 20, developer: 30, master: 40 } as const;

const OF_PROJECTS = REGISTRY_ROUTES.filter(({ at }) => at.includes('project')).map(
  (route) => [`${route.method} ${templateOf(route, 'project')}`, route] as const,
);

/** An address of a route in a project, where nothing was published: whoever may, gets that far. */
const addressOf = (template: string, { id }: { id: number }) =>
  template
    .replace(/^\S+ /, '')
    .replace(':id', String(id))
    .replace(/[:*]\w+/g, 'x');

/** Whether somebody was let in, whatever became of the request then. */
const isLetIn = (status: number) => ![401, 403].includes(status);

describe('Registries of packages', () => {
  it.each(OF_PROJECTS)('%s is for those whom the table lets in', async (name, { method, ability, purpose }) => {
    const level = (projectAbilities[ability] as { level: number }).level;
    const path = addressOf(name, closed);
    const ask = async (headers: Record<string, string>, to = path) =>
      (await send(null, method, to, { headers })).status;
    const as = (token: string, user = 'x') => basic(user, token);
    for (const [role, own] of Object.entries(LEVELS)) {
      const status = await ask(as(PEOPLE[role as keyof typeof PEOPLE].token));
      expect([role, isLetIn(status)]).toEqual([role, own >= level]);
    }
    expect(await ask({})).toBe(401);
    expect(await ask(as('unknown'))).toBe(401);
    expect(await ask(as(stranger.token))).toBe(404);
    expect(isLetIn(await ask(as(jobToken)))).toBe(level <= 30);
    expect(isLetIn(await ask(as(readToken)))).toBe(method === 'GET');
    const isOfPackages = purpose === 'read_package' || purpose === 'write_package';
    expect(isLetIn(await ask(as(reading, 'robot')))).toBe(purpose === 'read_package');
    expect(isLetIn(await ask(as(writing, 'robot')))).toBe(isOfPackages && purpose === 'write_package' && level <= 30);
    expect(isLetIn(await ask(as(other, 'robot')))).toBe(false);
    // Of what is public, anybody reads packages, and nobody more.
    const anyone = await ask({}, addressOf(name, open));
    const isSignIn = /\/users\/(?:authenticate|check_credentials)/.test(name);
    expect(anyone === 401).toBe(purpose !== 'read_package' || isSignIn);
  });

  it('take the token of a job no longer than it runs', async () => {
    await endJob(world, jobId);
    const { status } = await send(null, 'GET', `/projects/${closed.id}/packages/pypi/simple`, {
      headers: { 'JOB-TOKEN': jobToken },
    });
    expect(status).toBe(401);
  });

  it('of groups and the server show nothing to those who may read nothing', LONG, async () => {
    const group = await world.group({ owner, visibility: 'private' });
    const routes = REGISTRY_ROUTES.flatMap((route) =>
      route.at.filter((kind) => kind !== 'project').map((kind) => [route, kind] as const),
    );
    for (const [route, kind] of routes) {
      const template = templateOf(route, kind);
      const path = addressOf(`GET ${template}`, group);
      const statuses = [await send(null, route.method, path), await send(stranger, route.method, path)].map(
        ({ status }) => status,
      );
      expect([template, ...statuses]).toEqual([template, 401, 404]);
    }
  });
});
