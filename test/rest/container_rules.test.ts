import { describe, expect, it } from 'vitest';
import { ContainerClient, imageOf } from '../support/container_client.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, master, developer, reporter] = [
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
];
/** For what a job does. */
const WAIT = { timeout: 20_000, interval: 100 };

async function stage() {
  const project = await world.project({ owner, visibility: 'private' });
  const levels = { master, developer, reporter } as const;
  for (const [level, who] of Object.entries(levels)) await world.member(project, who, level as keyof typeof levels);
  const at = `/projects/${project.id}`;
  return { project, name: project.fullPath.toLowerCase(), at, rules: `${at}/registry/protection/tag/rules` };
}

const as = (who: TestUser) => new ContainerClient(world.url, who);
const api = (who: TestUser) => world.api(who);
const pushed = (who: TestUser, name: string, tag: string, image = imageOf()) => as(who).pushImage(name, tag, image);

async function denied(response: Response) {
  const { errors } = (await response.json()) as { errors: { code: string; message: string }[] };
  return [response.status, errors[0]?.code, errors[0]?.message];
}

async function tagsOf(name: string): Promise<string[]> {
  return ((await (await as(owner).send(`/v2/${name}/tags/list`)).json()) as { tags: string[] }).tags;
}

async function repositoryOf(at: string): Promise<number> {
  return (await api(owner).get(`${at}/registry/repositories`)).body[0].id;
}

describe('Protection rules for tags of images', () => {
  it('are made, listed, changed and removed by masters', async () => {
    const { project, rules } = await stage();
    const decoy = await stage();
    await api(owner).post(decoy.rules, { tag_name_pattern: 'decoy' });
    const levels = { minimum_access_level_for_push: 'maintainer', minimum_access_level_for_delete: 'owner' };
    const made = await api(master).post(rules, { tag_name_pattern: 'v.+', ...levels });
    const rule = { id: made.body.id, project_id: project.id, tag_name_pattern: 'v.+', ...levels };
    expect([made.status, made.body]).toEqual([201, rule]);
    const list = await api(master).get(rules);
    expect([list.body, list.headers['x-total']]).toEqual([[rule], '1']);
    expect((await api(developer).get(rules)).status).toBe(403);
    const changed = await api(master).patch(`${rules}/${rule.id}`, { minimum_access_level_for_push: 'admin' });
    expect([changed.status, changed.body]).toEqual([200, { ...rule, minimum_access_level_for_push: 'admin' }]);
    const ofDecoy = (await api(owner).get(decoy.rules)).body[0].id;
    expect((await api(master).patch(`${rules}/${ofDecoy}`, { tag_name_pattern: 'x' })).status).toBe(404);
    expect((await api(master).delete(`${rules}/${ofDecoy}`)).status).toBe(404);
    expect((await api(master).delete(`${rules}/${rule.id}`)).status).toBe(204);
    expect((await api(master).get(rules)).body).toEqual([]);
    expect((await api(owner).get(decoy.rules)).body).toHaveLength(1);
  });

  it('are refused with what is wrong, and number at most five', LONG, async () => {
    const { rules } = await stage();
    const levels = { minimum_access_level_for_push: 'maintainer', minimum_access_level_for_delete: 'maintainer' };
    const wrong: [object, string][] = [
      [{ tag_name_pattern: ' ', ...levels }, 'tag_name_pattern'],
      [{ tag_name_pattern: '(', ...levels }, 'tag_name_pattern'],
      [{ tag_name_pattern: 'v'.repeat(101), ...levels }, 'tag_name_pattern'],
      [{ ...levels }, 'tag_name_pattern'],
      [{ tag_name_pattern: 'v', minimum_access_level_for_push: 'maintainer' }, 'access levels'],
      [
        { tag_name_pattern: 'v', ...levels, minimum_access_level_for_push: 'developer' },
        'minimum_access_level_for_push',
      ],
    ];
    for (const [given, named] of wrong) {
      const { status, body } = await api(owner).post(rules, given);
      expect([given, status, JSON.stringify(body).includes(named)]).toEqual([given, 400, true]);
    }
    const make = async (at: number) => (await api(owner).post(rules, { tag_name_pattern: `v${at}`, ...levels })).status;
    expect(await Promise.all([0, 1, 2].map(make))).toEqual([201, 201, 201]);
    expect((await api(owner).post(rules, { tag_name_pattern: 'v0', ...levels })).status).toBe(400);
    // Two at once do not get past the limit.
    expect((await Promise.all([3, 4, 5].map(make))).toSorted()).toEqual([201, 201, 400]);
    expect((await api(owner).get(rules)).body).toHaveLength(5);
  });

  it('keep who is below the level from pushing matching tags, and no others', LONG, async () => {
    const { name, rules } = await stage();
    const levels = { minimum_access_level_for_push: 'maintainer', minimum_access_level_for_delete: 'maintainer' };
    await api(owner).post(rules, { tag_name_pattern: 'v[0-9]+', ...levels });
    const image = imageOf();
    for (const blob of [image.config, ...image.layers]) await as(developer).pushBlob(name, blob);
    const refused = await as(developer).putManifest(name, 'v1', image.text);
    expect(await denied(refused)).toEqual([403, 'DENIED', 'The tag v1 is protected']);
    for (const tag of ['xv1', 'v1x', 'latest']) expect(await pushed(developer, name, tag, image)).toBe(201);
    // By digest it has no name that could be protected.
    expect(await pushed(developer, name, image.digest, image)).toBe(201);
    expect(await pushed(master, name, 'v1', image)).toBe(201);
    expect((await api(owner).delete(`/projects/${encodeURIComponent(name)}/members/${master.id}`)).status).toBe(204);
    expect(await pushed(master, name, 'v2', image)).toBe(404);
    expect(await tagsOf(name)).toEqual(['latest', 'v1', 'v1x', 'xv1']);
  });

  it(
    'keep who is below the level from deleting them: alone, by digest, with the repository, or many at once',
    LONG,
    async () => {
      const { name, at, rules } = await stage();
      const [image, other] = [imageOf(), imageOf()];
      for (const tag of ['v1', 'beside']) await pushed(developer, name, tag, image);
      for (const tag of ['old', 'older']) await pushed(developer, name, tag, other);
      const levels = { minimum_access_level_for_push: 'maintainer', minimum_access_level_for_delete: 'owner' };
      await api(owner).post(rules, { tag_name_pattern: 'v.*', ...levels });
      const id = await repositoryOf(at);
      const one = `${at}/registry/repositories/${id}`;
      expect((await api(master).delete(`${one}/tags/v1`)).status).toBe(403);
      expect((await api(master).delete(one)).status).toBe(403);
      const byDigest = await as(master).send(`/v2/${name}/manifests/${image.digest}`, { method: 'DELETE' });
      expect(await denied(byDigest)).toEqual([403, 'DENIED', 'The tag v1 is protected']);
      expect(await as(master).status(`/v2/${name}/manifests/v1`, { method: 'DELETE' })).toBe(403);
      expect((await api(master).delete(`${one}/tags?name_regex_delete=.*`)).status).toBe(202);
      await expect.poll(() => tagsOf(name), WAIT).toEqual(['v1']);
      expect((await api(owner).delete(`${one}/tags/v1`)).status).toBe(200);
      expect(await tagsOf(name)).toEqual([]);
    },
  );

  it('without levels keep tags as they were first pushed, also from owners and two pushes at once', LONG, async () => {
    const { name, at, rules } = await stage();
    await api(owner).post(rules, { tag_name_pattern: 'v.*' });
    const images = [imageOf(), imageOf()];
    const [first, second] = images as [(typeof images)[0], (typeof images)[0]];
    for (const blob of images.flatMap(({ config, layers }) => [config, ...layers]))
      await as(developer).pushBlob(name, blob);
    const both = await Promise.all(images.map(({ text }) => as(developer).putManifest(name, 'v1', text)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 403]);
    const [winner, loser] = both[0]?.status === 201 ? [first, second] : [second, first];
    const refused = await as(owner).putManifest(name, 'v1', loser.text);
    expect(await denied(refused)).toEqual([403, 'DENIED', 'The tag v1 cannot be changed: it is immutable']);
    // The same again changes nothing.
    expect((await as(developer).putManifest(name, 'v1', winner.text)).status).toBe(201);
    const one = `${at}/registry/repositories/${await repositoryOf(at)}`;
    expect((await api(owner).delete(`${one}/tags/v1`)).status).toBe(403);
    expect((await as(owner).send(`/v2/${name}/manifests/${winner.digest}`, { method: 'DELETE' })).status).toBe(403);
    // A project is deleted with all that it has.
    expect((await api(owner).delete(at)).status).toBe(202);
  });
});

describe('The policy that deletes tags on a schedule', () => {
  const DEFAULT = {
    cadence: '1d',
    enabled: false,
    keep_n: 10,
    older_than: '90d',
    name_regex: '.*',
    name_regex_keep: null,
    next_run_at: null,
  };
  const policyOf = async (at: string, who = owner) => (await api(who).get(at)).body.container_expiration_policy;

  it('is saved with the project, and shown to masters', LONG, async () => {
    const { at } = await stage();
    expect(await policyOf(at, master)).toEqual(DEFAULT);
    expect((await api(developer).get(at)).body).not.toHaveProperty('container_expiration_policy');
    const given = {
      enabled: true,
      cadence: '7d',
      keep_n: 5,
      older_than: '14d',
      name_regex_delete: 'dev-.*',
      name_regex_keep: '.*-keep',
    };
    const { status, body } = await api(master).put(at, { container_expiration_policy_attributes: given });
    const { name_regex_delete: name, ...rest } = given;
    expect([status, body.container_expiration_policy]).toEqual([
      200,
      { ...rest, name_regex: name, next_run_at: expect.any(String) },
    ]);
    const days = (Date.parse(body.container_expiration_policy.next_run_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(7);
    const told = await world.db.auditEvent.findFirstOrThrow({ where: { attribute: 'container_expiration_policy' } });
    expect([told.authorId, told.oldValue, told.newValue]).toEqual([
      master.id,
      'off, every 1d, delete .*, keep latest 10, older than 90d',
      'on, every 7d, delete dev-.*, keep .*-keep, keep latest 5, older than 14d',
    ]);
    const attributes = { container_expiration_policy_attributes: { name_regex: '.*', keep_n: '' } };
    expect((await api(master).put(at, attributes)).body.container_expiration_policy).toMatchObject({
      ...{ enabled: true, name_regex: '.*', keep_n: null, older_than: '14d' },
      next_run_at: body.container_expiration_policy.next_run_at,
    });
    const made = await api(owner).post('/projects', {
      name: world.unique('made'),
      container_expiration_policy_attributes: { enabled: true, older_than: '' },
    });
    expect([made.status, made.body.container_expiration_policy]).toMatchObject([
      201,
      { enabled: true, older_than: null },
    ]);
  });

  it('is refused with what is wrong, and from who is no master', async () => {
    const { at } = await stage();
    const wrong = { cadence: '2d', keep_n: 3, older_than: '1d', name_regex_delete: '(', name_regex_keep: '[' };
    for (const [name, value] of Object.entries(wrong)) {
      const { status, body } = await api(owner).put(at, { container_expiration_policy_attributes: { [name]: value } });
      const key = `container_expiration_policy.${name.replace('_delete', '')}`;
      expect([name, status, Object.keys(body.message)]).toEqual([name, 400, [key]]);
    }
    const blank = { enabled: true, name_regex: '' };
    expect((await api(owner).put(at, { container_expiration_policy_attributes: blank })).status).toBe(400);
    const enabled = { container_expiration_policy_attributes: { enabled: true } };
    expect((await api(developer).put(at, enabled)).status).toBe(403);
    expect(await policyOf(at)).toEqual(DEFAULT);
  });

  it('deletes what is due once, and neither the latest, nor what is protected, young or kept', LONG, async () => {
    const { name, at, rules, project } = await stage();
    const decoy = await stage();
    await api(owner).post(rules, {
      tag_name_pattern: 'safe',
      minimum_access_level_for_push: 'maintainer',
      minimum_access_level_for_delete: 'maintainer',
    });
    const image = imageOf();
    const old = ['a', 'b', 'c', 'kept', 'latest', 'safe'];
    for (const tag of [...old, 'young']) await pushed(owner, name, tag, image);
    await pushed(owner, decoy.name, 'a', image);
    const month = new Date(Date.now() - 30 * 86_400_000);
    await world.db.containerTag.updateMany({ where: { name: { in: old } }, data: { pushedAt: month } });
    const policy = { enabled: true, keep_n: 1, older_than: '14d', name_regex_keep: 'kept' };
    await api(owner).put(at, { container_expiration_policy_attributes: policy });
    await api(owner).put(decoy.at, { container_expiration_policy_attributes: { ...policy, enabled: false } });
    const apply = () => world.handlers()['containers.apply_policies']({}, world.as(owner).jobs);
    await apply();
    await world.idle();
    expect(await tagsOf(name)).toHaveLength(7);
    const due = { nextRunAt: new Date(Date.now() - 1_000) };
    await world.db.containerExpirationPolicy.updateMany({
      where: { projectId: { in: [project.id, decoy.project.id] } },
      data: due,
    });
    await Promise.all([apply(), apply()]);
    // The latest of those that match is the young one.
    await expect.poll(() => tagsOf(name), WAIT).toEqual(['kept', 'latest', 'safe', 'young']);
    expect(await tagsOf(decoy.name)).toEqual(['a']);
    expect(Date.parse((await policyOf(at)).next_run_at)).toBeGreaterThan(Date.now());
  });
});
