import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { formWith, registryWorld } from '../support/registry.ts';
import type { TestUser } from '../support/world.ts';
import { zip } from '../support/zip.ts';

const { world, owner, master, developer, guest, stranger, made, send } = await registryWorld();

const RULES = `isInherited mavenDuplicatesAllowed mavenDuplicateExceptionRegex genericDuplicatesAllowed genericDuplicateExceptionRegex
  nugetDuplicatesAllowed nugetDuplicateExceptionRegex terraformModuleDuplicatesAllowed terraformModuleDuplicateExceptionRegex`;
const DEFAULTS = {
  ...{ mavenDuplicatesAllowed: true, mavenDuplicateExceptionRegex: '' },
  ...{ genericDuplicatesAllowed: true, genericDuplicateExceptionRegex: '' },
  ...{ nugetDuplicatesAllowed: false, nugetDuplicateExceptionRegex: '' },
  ...{ terraformModuleDuplicatesAllowed: false, terraformModuleDuplicateExceptionRegex: '' },
};

/** A public group of the owner, with a master, a developer and a guest. */
async function grouped(parentId?: number) {
  const group = await world.group({ owner, visibility: 'public', ...(parentId !== undefined && { parentId }) });
  const members = { master, developer, guest } as const;
  for (const [level, who] of Object.entries(members)) await world.member(group, who, level as keyof typeof members);
  return group;
}

async function settingsIn(group: { id: number }, who?: TestUser): Promise<Json> {
  const query = `query($id: GroupRef!) { group(ref: $id) { packageSettings { ${RULES} } } }`;
  return (await world.graphql(query, { id: group.id }, who)).body.data.group.packageSettings;
}

async function update(namespacePath: string, changes: object, who = master): Promise<Json> {
  const query = `mutation($input: UpdateNamespacePackageSettingsInput!) {
    updateNamespacePackageSettings(input: $input) { packageSettings { ${RULES} } } }`;
  const { body } = await world.graphql(query, { input: { namespacePath, ...changes } }, who);
  return body.data?.updateNamespacePackageSettings?.packageSettings ?? body.errors[0].extensions;
}

async function remove(namespacePath: string, who = master): Promise<Json> {
  const query = `mutation($input: InheritNamespacePackageSettingsInput!) {
    inheritNamespacePackageSettings(input: $input) { packageSettings { ${RULES} } } }`;
  const { body } = await world.graphql(query, { input: { namespacePath } }, who);
  return body.data?.inheritNamespacePackageSettings?.packageSettings ?? body.errors[0].extensions;
}

type Project = { id: number };
const maven = (project: Project, file: string) =>
  send(developer, 'PUT', `/projects/${project.id}/packages/maven/org/team/${file}`, { body: 'jar' });
const generic = (project: Project, name: string, file = 'a.txt', body = 'a') =>
  send(developer, 'PUT', `/projects/${project.id}/packages/generic/${name}/${file}`, { body });
const module = (project: Project, version: string, body = 'tgz') =>
  send(developer, 'PUT', `/projects/${project.id}/packages/terraform/modules/vpc/aws/${version}/file`, { body });

async function nuget(project: Project, version: string, text = 'x') {
  const nuspec = `<package><metadata><id>App</id><version>${version}</version><authors>A</authors><description>D</description></metadata></package>`;
  const content = await zip({ 'App.nuspec': nuspec, 'lib/a.dll': text });
  const body = formWith({}, 'package', new File([new Uint8Array(content)], 'package.nupkg'));
  const { status } = await send(developer, 'PUT', `/projects/${project.id}/packages/nuget`, { body });
  return { status, content };
}

describe('The package settings of a group', () => {
  it('are read by members, changed by masters and removed again, with the groups below it following', async () => {
    const [top, decoy] = [await grouped(), await grouped()];
    const inner = await grouped(top.id);
    expect(await settingsIn(top, guest)).toEqual({ ...DEFAULTS, isInherited: true });
    for (const who of [stranger, undefined]) expect(await settingsIn(top, who)).toBeNull();
    for (const who of [guest, developer])
      expect(await update(top.fullPath, { mavenDuplicatesAllowed: false }, who)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await world.db.packageSettings.count()).toBe(0);

    const ofTop = { ...DEFAULTS, mavenDuplicatesAllowed: false, mavenDuplicateExceptionRegex: '.*-SNAPSHOT' };
    const changes = { mavenDuplicatesAllowed: false, mavenDuplicateExceptionRegex: '.*-SNAPSHOT' };
    expect(await update(top.fullPath.toUpperCase(), changes)).toEqual({ ...ofTop, isInherited: false });
    expect(await settingsIn(inner, guest)).toEqual({ ...ofTop, isInherited: true });
    // What it had from above stays when it gets its own.
    const own = await update(inner.fullPath, { nugetDuplicatesAllowed: true });
    expect(own).toEqual({ ...ofTop, nugetDuplicatesAllowed: true, isInherited: false });
    expect(await settingsIn(top, guest)).toEqual({ ...ofTop, isInherited: false });
    expect(await settingsIn(decoy, guest)).toEqual({ ...DEFAULTS, isInherited: true });

    expect(await remove(inner.fullPath, developer)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await remove(inner.fullPath)).toEqual({ ...ofTop, isInherited: true });
    expect(await remove(inner.fullPath)).toMatchObject({ code: 'NOT_FOUND' });
    const events = await world.db.auditEvent.findMany({
      where: { targetType: 'PackageSettings' },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ action, groupId, attribute, newValue }) => [action, groupId, attribute, newValue])).toEqual([
      ['package_settings_updated', top.id, 'maven_duplicates_allowed', 'false'],
      ['package_settings_updated', top.id, 'maven_duplicate_exception_regex', '.*-SNAPSHOT'],
      ['package_settings_updated', inner.id, 'nuget_duplicates_allowed', 'true'],
      ['package_settings_deleted', inner.id, null, null],
    ]);
  });

  it('take no expression that is invalid or too long, and say which it is', async () => {
    const group = await grouped();
    const refused = async (changes: object) => {
      const { code, fields } = await update(group.fullPath, changes);
      return { code, names: JSON.stringify(fields) };
    };
    for (const text of ['[', '(?:v.+|SNAPSHOT', 'x'.repeat(256)])
      expect(await refused({ genericDuplicateExceptionRegex: text })).toMatchObject({
        code: 'VALIDATION_FAILED',
        names: expect.stringContaining('input.genericDuplicateExceptionRegex'),
      });
    expect(await settingsIn(group, master)).toEqual({ ...DEFAULTS, isInherited: true });
    const longest = { genericDuplicateExceptionRegex: 'x'.repeat(255) };
    expect(await update(group.fullPath, longest)).toMatchObject({ ...longest, isInherited: false });
  });
});

describe('Packages that are published again', () => {
  it('are refused or taken as each kind does, where no setting says otherwise', LONG, async () => {
    const project = await made({ namespaceId: (await grouped()).id });
    for (const [publish, again] of [
      [() => maven(project, 'app/1.0/app-1.0.jar'), 201],
      [() => generic(project, 'app/1.0'), 201],
      [() => nuget(project, '1.0.0'), 409],
      [() => module(project, '1.0.0'), 403],
    ] as const) {
      expect((await publish()).status).toBe(201);
      expect((await publish()).status).toBe(again);
    }
  });

  it(
    'are refused where the nearest group says so, except those whose name or version matches, and others go on',
    LONG,
    async () => {
      const top = await grouped();
      const inner = await grouped(top.id);
      const project = await made({ namespaceId: inner.id });
      const decoy = await made({ namespaceId: (await grouped()).id });
      await update(top.fullPath, {
        ...{ mavenDuplicatesAllowed: false, genericDuplicatesAllowed: false },
        ...{ mavenDuplicateExceptionRegex: '2\\.0-SNAPSHOT|org/team/free', genericDuplicateExceptionRegex: 'free' },
      });
      const refused = async (answer: Promise<Response>) => {
        const { status, body } = await answer.then(async (one) => ({ status: one.status, body: await one.text() }));
        expect([status, body]).toEqual([400, expect.stringContaining('Duplicate package is not allowed')]);
      };
      const taken = async (answer: Promise<Response>) => expect((await answer).status).toBe(201);
      // The files of one version are published one by one.
      for (const file of ['app-1.0.jar', 'app-1.0.pom']) {
        await taken(maven(project, `app/1.0/${file}`));
        await refused(maven(project, `app/1.0/${file}`));
        for (const _ of [1, 2]) await taken(maven(decoy, `app/1.0/${file}`));
      }
      const snapshot = (version: string, build: number) =>
        maven(project, `app/${version}-SNAPSHOT/app-${version}-20261130.12000${build}-${build}.jar`);
      await taken(snapshot('1.1', 1));
      await refused(snapshot('1.1', 2));
      for (const build of [1, 2]) await taken(snapshot('2.0', build));
      for (const _ of [1, 2]) await taken(maven(project, 'free/1.0/free-1.0.jar'));

      await taken(generic(project, 'app/1.0'));
      await refused(generic(project, 'app/1.0', 'a.txt', 'other'));
      await taken(generic(project, 'app/1.0', 'b.txt'));
      // The whole name is compared.
      await taken(generic(project, 'freedom/1.0'));
      await refused(generic(project, 'freedom/1.0'));
      for (const _ of [1, 2]) await taken(generic(project, 'free/1.0'));
      // Nothing is left of what was refused.
      const kept = await world.db.packageFile.findMany({ where: { projectId: project.id, package: { name: 'app' } } });
      expect(kept.map(({ fileName }) => fileName).sort()).toEqual(['a.txt', 'b.txt']);

      // A nearer group has the last word.
      await update(inner.fullPath, { genericDuplicatesAllowed: true });
      await taken(generic(project, 'app/1.0'));
      await refused(maven(project, 'app/1.0/app-1.0.jar'));
      await remove(inner.fullPath);
      await refused(generic(project, 'app/1.0'));
    },
  );

  it('are taken where the group allows it, and the last one counts', async () => {
    const group = await grouped();
    const project = await made({ namespaceId: group.id });
    await update(group.fullPath, {
      ...{ nugetDuplicatesAllowed: true, terraformModuleDuplicateExceptionRegex: '\\d+\\.\\d+\\.\\d+-dev' },
    });
    let pushed: Buffer | undefined;
    for (const text of ['first', 'second']) {
      const { status, content } = await nuget(project, '1.0.0', text);
      expect(status).toBe(201);
      pushed = content;
      expect((await module(project, '1.0.0-dev', text)).status).toBe(201);
    }
    const at = `/projects/${project.id}/packages`;
    const bytes = async (path: string) => Buffer.from(await (await send(developer, 'GET', at + path)).arrayBuffer());
    expect((await bytes('/terraform/modules/vpc/aws/1.0.0-dev?archive=tgz')).toString()).toBe('second');
    expect((await bytes('/nuget/download/app/1.0.0/app.1.0.0.nupkg')).equals(pushed as Buffer)).toBe(true);
    const { versions } = JSON.parse((await bytes('/nuget/download/app/index.json')).toString());
    expect(versions).toEqual(['1.0.0']);
    expect((await module(project, '1.0.0')).status).toBe(201);
    expect((await module(project, '1.0.0')).status).toBe(403);
  });

  it('are refused in personal projects of users who say so for their namespace', async () => {
    const project = await made();
    expect(await update(owner.username, { genericDuplicatesAllowed: false }, owner)).toMatchObject({
      ...{ genericDuplicatesAllowed: false, isInherited: false },
    });
    expect(await update(owner.username, { genericDuplicatesAllowed: true }, master)).toMatchObject({
      code: 'NOT_FOUND',
    });
    const query = `query($ref: NamespaceRef!) { namespace(ref: $ref) { ... on PersonalNamespace { packageSettings { ${RULES} } } } }`;
    const { body } = await world.graphql(query, { ref: owner.username }, owner);
    expect(body.data.namespace.packageSettings).toMatchObject({ genericDuplicatesAllowed: false });
    expect((await generic(project, 'app/1.0')).status).toBe(201);
    expect((await generic(project, 'app/1.0')).status).toBe(400);
    const [event] = await world.db.auditEvent.findMany({ where: { userId: owner.id, targetType: 'PackageSettings' } });
    expect(event).toMatchObject({ action: 'package_settings_updated', authorId: owner.id });
  });
});
