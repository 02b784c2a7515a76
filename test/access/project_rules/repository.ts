import { publishNpmPackage } from '#src/domain/packages/npm.ts';
import { publishFile } from '#src/domain/packages/publish.ts';
import { createDeployKey } from '#src/domain/repository/deploy_keys/save.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { createBranchProtectionRule } from '#src/domain/repository/protections/branches.ts';
import { createTagProtectionRule } from '#src/domain/repository/protections/tags.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { createWikiPage } from '#src/domain/repository/wikis/write.ts';
import { threadKey } from '#src/domain/tracking/discussions/key.ts';
import { encrypt } from '#src/platform/secrets.ts';
import { recordedImage } from '../../support/container_records.ts';
import { git } from '../../support/git_program.ts';
import { newKey } from '../../support/ssh_keys.ts';
import { SECRET } from '../../support/world.ts';
import type { Rule, Stage } from '../matrix.ts';
import type { ProjectGiven } from './given.ts';

/** behaviour.md 6 of repositories and deploy keys. */
export function repositoryRules({
  world,
  owner,
  project,
  fresh,
  filled,
  commit,
  branches,
  newBranch,
  theAuthor,
}: ProjectGiven): Record<string, Rule> {
  const repository = { success: 200, level: 20, open: 'anyone' } as const;
  const blob = async (at: Stage) => ({ ...(await filled(at)), sha: '78981922613b2afb6025042ff6bd878ac1994e85' });
  const file = async (at: Stage) => ({ ...(await filled(at)), file_path: 'a.txt', ref: 'main' });
  const newTag = async (at: Stage) => {
    const { id } = await branches(at);
    const { name } = await createTag(world.as(owner), id, { name: world.unique('tag'), target: 'master' });
    return { id, tag_name: name };
  };
  const newFile = async (at: Stage, branch = 'topic') => {
    const { id } = await branches(at);
    const file = { path: world.unique('file'), branch, content: '', message: 'New' };
    return createFile(world.as(owner), id, file);
  };
  /** A thread of somebody who has no role on a commit. */
  const talked = async (at: Stage) => {
    const given = await filled(at);
    const sha = (await (await world.repositories.open(at.project))?.branch('main'))?.commit ?? '';
    const data = { projectId: at.project.id, authorId: (await theAuthor()).id, sha, note: 'said' };
    const { id } = await world.db.commitComment.create({ data });
    return { ...given, commit_id: sha, discussion_id: threadKey('CommitDiscussion', id), note_id: id, body: 'words' };
  };
  const on = '/projects/:id/repository/commits/:commit_id/discussions';
  const reads = { ...repository, open: 'user', given: talked } as const;
  const onCommits: Record<string, Rule> = {
    [`GET ${on}`]: reads,
    [`POST ${on}`]: { ...reads, success: 201 },
    [`GET ${on}/:discussion_id`]: reads,
    [`GET ${on}/:discussion_id/notes`]: reads,
    [`POST ${on}/:discussion_id/notes`]: { ...reads, success: 201 },
    [`GET ${on}/:discussion_id/notes/:note_id`]: reads,
    [`PUT ${on}/:discussion_id/notes/:note_id`]: { success: 200, level: 40, given: talked },
    [`DELETE ${on}/:discussion_id/notes/:note_id`]: { success: 204, level: 40, given: talked },
  };
  /** A commit with something in the place of a signature. */
  const signedCommit = async (at: Stage, id: number) => {
    const directory = world.repositories.directory({ ...at.project, id });
    const tree = git(directory, ['rev-parse', 'master^{tree}']).trim();
    const who = 'X <x@example.com> 1700000000 +0000';
    const content = `tree ${tree}\nauthor ${who}\ncommitter ${who}\ngpgsig -----BEGIN PGP SIGNATURE-----\n\nSigned\n`;
    return git(directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], content).trim();
  };
  /** Gives the project a branch with a submodule. */
  const linkSubmodule = async (at: Stage, id: number) => {
    const directory = world.repositories.directory({ ...at.project, id });
    const tree = git(directory, ['mktree'], `160000 commit ${'1'.repeat(40)}\tlib\n`).trim();
    const author = ['-c', 'user.name=X', '-c', 'user.email=x@example.com'];
    const commit = git(directory, [...author, 'commit-tree', '-m', 'Link', tree]).trim();
    git(directory, ['update-ref', 'refs/heads/linked', commit]);
  };
  const how = { branch: 'topic', commit_message: 'Why' };
  const notes = async (at: Stage) => ({ ...(await newTag(at)), description: 'notes' });
  const writtenFile = async (at: Stage) => ({ ...(await branches(at)), ...how, file_path: (await newFile(at)).path });
  const deployKeyOf = async ({ id }: { id: number }) => {
    const key = await createDeployKey(world.as(owner), id, { title: 'key', key: newKey(), canPush: false });
    return { id, key_id: key.id };
  };
  const deployKey = async (at: Stage) => deployKeyOf(at.project);
  /** A deploy key of another project that has the same masters. */
  const foreignDeployKey = async (at: Stage) => {
    const other = await fresh(at);
    return { id: at.project.id, key_id: (await deployKeyOf(other)).key_id };
  };

  const released = async (at: Stage) => {
    const given = await newTag(at);
    await world.db.release.create({
      data: {
        ...{ projectId: given.id, tag: given.tag_name, description: 'notes' },
        links: { create: { name: 'a', url: 'https://example.org/a', directAssetPath: '/a' } },
      },
    });
    return given;
  };
  const linked = async (at: Stage) => {
    const given = await released(at);
    const where = { release: { projectId: given.id, tag: given.tag_name } };
    const { id } = await world.db.releaseLink.findFirstOrThrow({ where });
    return { ...given, link_id: id };
  };
  const page = async (at: Stage) => {
    const { id } = await fresh(at);
    await createWikiPage(world.as(owner), { project: id }, { title: 'home', content: 'words' });
    return { id, slug: 'home' };
  };
  const mirrored = async (at: Stage) => {
    const { id } = at.project;
    const urlEncrypted = encrypt('https://x:y@example.org/z.git', SECRET);
    const mirror = await world.db.remoteMirror.create({ data: { projectId: id, urlEncrypted, enabled: true } });
    return { id, mirror_id: mirror.id };
  };
  const pulling = async (at: Stage) => {
    const { id } = at.project;
    const urlEncrypted = Buffer.from(encrypt('https://x:y@192.88.98.1/z.git', SECRET));
    const values = { urlEncrypted, userId: owner.id, enabled: true };
    await world.db.pullMirror.upsert({
      where: { projectId: id },
      create: { ...values, projectId: id },
      update: values,
    });
    return { id };
  };
  const pull = '/projects/:id/mirror/pull';
  const mirrors = '/projects/:id/remote_mirrors';
  const ofMirrors: Record<string, Rule> = {
    [`GET ${mirrors}`]: { success: 200, level: 40, given: mirrored },
    [`POST ${mirrors}`]: {
      success: 201,
      level: 40,
      given: async (at) => {
        await world.db.remoteMirror.deleteMany({ where: { projectId: at.project.id } });
        return { ...project(at), url: 'https://192.88.98.1/x.git' };
      },
    },
    [`GET ${mirrors}/:mirror_id`]: { success: 200, level: 40, given: mirrored },
    [`PUT ${mirrors}/:mirror_id`]: {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await mirrored(at)), enabled: false }),
    },
    [`DELETE ${mirrors}/:mirror_id`]: { success: 204, level: 40, given: mirrored },
    [`POST ${mirrors}/:mirror_id/sync`]: { success: 204, level: 40, given: mirrored },
    [`GET ${pull}`]: { success: 200, level: 40, given: pulling },
    [`PUT ${pull}`]: { success: 200, level: 40, given: async (at) => ({ ...(await pulling(at)), enabled: false }) },
    [`POST ${pull}`]: { success: 200, level: 40, given: pulling },
  };
  const wiki = '/projects/:id/wikis';
  const ofWikis: Record<string, Rule> = {
    [`GET ${wiki}`]: { success: 200, level: 10, open: 'user', given: page },
    [`POST ${wiki}`]: {
      success: 201,
      level: 30,
      given: async (at) => ({ ...project(at), title: world.unique('page'), content: 'words' }),
    },
    [`POST ${wiki}/attachments`]: {
      success: 201,
      level: 30,
      given: (at) => ({ ...project(at), file: new File(['text'], 'a.txt') }),
    },
    [`GET ${wiki}/:slug`]: { success: 200, level: 10, open: 'user', given: page },
    [`PUT ${wiki}/:slug`]: { success: 200, level: 30, given: async (at) => ({ ...(await page(at)), content: 'new' }) },
    [`DELETE ${wiki}/:slug`]: { success: 204, level: 30, given: page },
  };
  const one = '/projects/:id/releases/:tag_name';
  const ofReleases: Record<string, Rule> = {
    'GET /projects/:id/releases': { success: 200, level: 10, open: 'anyone', given: project },
    'POST /projects/:id/releases': { success: 201, level: 30, given: newTag },
    'GET /projects/:id/releases/permalink/latest': { ...repository, success: 302, given: released },
    'GET /projects/:id/releases/permalink/latest/:suffix': {
      ...{ ...repository, success: 302 },
      given: async (at) => ({ ...(await released(at)), suffix: 'downloads/a' }),
    },
    [`GET ${one}`]: { ...repository, given: released },
    [`PUT ${one}`]: { success: 200, level: 30, given: async (at) => ({ ...(await released(at)), name: 'New' }) },
    [`DELETE ${one}`]: { success: 200, level: 30, given: released },
    [`GET ${one}/downloads/:direct_asset_path`]: {
      ...{ ...repository, success: 302 },
      given: async (at) => ({ ...(await released(at)), direct_asset_path: 'a' }),
    },
    [`GET ${one}/assets/links`]: { success: 200, level: 10, open: 'anyone', given: released },
    [`POST ${one}/assets/links`]: {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await released(at)), name: 'b', url: 'https://example.org/b' }),
    },
    [`GET ${one}/assets/links/:link_id`]: { success: 200, level: 10, open: 'anyone', given: linked },
    [`PUT ${one}/assets/links/:link_id`]: {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await linked(at)), name: 'c' }),
    },
    [`DELETE ${one}/assets/links/:link_id`]: { success: 200, level: 30, given: linked },
  };

  const packaged = async (at: Stage) => {
    const own = await fresh(at);
    const file = {
      name: 'a',
      size: 1,
      stream: async function* () {
        yield Buffer.from('x');
      },
    };
    const address = { name: 'app', version: '1', fileName: 'a' };
    const { id } = await publishFile(world.as(owner), own.id, { ...address, file });
    const { packageId } = await world.db.packageFile.findUniqueOrThrow({ where: { id } });
    return {
      id: own.id,
      package_id: packageId,
      package_file_id: id,
      package_name: 'app',
      package_version: '1',
      file_name: 'a',
    };
  };
  const publication = (name: string, version = '1.0.0') => ({
    package_name: name,
    versions: { [version]: { name, version } },
    'dist-tags': { latest: version },
    _attachments: { a: { data: Buffer.from('x').toString('base64') } },
  });
  const npmPackaged = async (at: Stage) => {
    const own = await fresh(at);
    const { 'dist-tags': distTags, _attachments: attachments, versions } = publication('app');
    await publishNpmPackage(world.as(owner), own.id, { name: 'app', distTags, attachments, versions });
    return { id: own.id, package_name: 'app', file_name: 'app-1.0.0.tgz', tag: 'latest', version: '1.0.0' };
  };
  const npm = { ...repository, given: npmPackaged } as const;
  const dist = '/projects/:id/packages/npm/-/package/:package_name/dist-tags';
  const ofNpm: Record<string, Rule> = {
    'PUT /projects/:id/packages/npm/:package_name': {
      success: 200,
      level: 30,
      given: async (at) => ({ ...project(at), ...publication(world.unique('pack').toLowerCase()) }),
    },
    'GET /projects/:id/packages/npm/:package_name': npm,
    'GET /projects/:id/packages/npm/:package_name/-/:file_name': npm,
    [`GET ${dist}`]: npm,
    [`PUT ${dist}/:tag`]: { success: 204, level: 30, given: npmPackaged },
    [`DELETE ${dist}/:tag`]: { success: 204, level: 30, given: npmPackaged },
  };
  const reading = { ...repository, given: packaged } as const;
  const generic = '/projects/:id/packages/generic/:package_name/:package_version/:file_name';
  const pack = '/projects/:id/packages/:package_id';
  const ofPackages: Record<string, Rule> = {
    [`PUT ${generic}`]: {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await packaged(at)), file: new File(['y'], 'a') }),
    },
    [`GET ${generic}`]: reading,
    'GET /projects/:id/packages': { ...repository, given: project },
    [`GET ${pack}`]: reading,
    [`DELETE ${pack}`]: { success: 204, level: 40, given: packaged },
    [`GET ${pack}/package_files`]: reading,
    [`DELETE ${pack}/package_files/:package_file_id`]: { success: 204, level: 40, given: packaged },
  };

  const distribution = async ({ project: { id } }: Stage) => {
    const codename = world.unique('dist').toLowerCase();
    const key = { publicKey: 'x', privateKeyEncrypted: Buffer.from('x') };
    await world.db.debianDistribution.create({ data: { projectId: id, codename, components: ['main'], ...key } });
    return { id, codename };
  };
  const distributions = '/projects/:id/debian_distributions';
  const ofDebian: Record<string, Rule> = {
    [`GET ${distributions}`]: { ...repository, given: project },
    [`GET ${distributions}/:codename`]: { ...repository, given: distribution },
    [`POST ${distributions}`]: {
      success: 201,
      level: 30,
      given: (at) => ({ ...project(at), codename: world.unique('dist').toLowerCase() }),
    },
    [`PUT ${distributions}/:codename`]: {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await distribution(at)), label: 'x' }),
    },
    [`DELETE ${distributions}/:codename`]: { success: 202, level: 40, given: distribution },
  };

  const imaged = async (at: Stage) => {
    const own = await fresh(at);
    const repository = await recordedImage(world, own);
    return { id: own.id, repository_id: repository, tag_name: 'v1', name_regex_delete: 'v.*' };
  };
  const images = '/projects/:id/registry/repositories';
  const ofImages: Record<string, Rule> = {
    [`GET ${images}`]: { ...repository, given: project },
    [`DELETE ${images}/:repository_id`]: { success: 202, level: 40, given: imaged },
    [`GET ${images}/:repository_id/tags`]: { ...repository, given: imaged },
    [`GET ${images}/:repository_id/tags/:tag_name`]: { ...repository, given: imaged },
    [`DELETE ${images}/:repository_id/tags/:tag_name`]: { success: 200, level: 40, given: imaged },
    [`DELETE ${images}/:repository_id/tags`]: { success: 202, level: 40, given: imaged },
  };

  const protectedBranch = async ({ project: { id } }: Stage) => {
    const name = world.unique('branch*');
    await createBranchProtectionRule(world.as(owner), id, { name });
    return { id, name };
  };
  const protectedTag = async ({ project: { id } }: Stage) => {
    const name = world.unique('tag*');
    await createTagProtectionRule(world.as(owner), id, { name });
    return { id, name };
  };
  const unruled = async ({ project: { id } }: Stage) => {
    await world.db.pushRule.deleteMany({ where: { projectId: id } });
    return { id, member_check: false };
  };
  const ruled = async (at: Stage) => {
    const given = await unruled(at);
    await world.db.pushRule.create({ data: { projectId: at.project.id } });
    return given;
  };
  const master = { level: 40 } as const;
  const tagRules = '/projects/:id/registry/protection/tag/rules';
  const tagRule = async ({ project: { id } }: Stage) => {
    const data = { projectId: id, tagNamePattern: world.unique('v') };
    return { id, protection_rule_id: (await world.db.containerTagProtectionRule.create({ data })).id };
  };
  const role = { minimum_access_level_for_push: 'owner' } as const;
  const repositoryRules = '/projects/:id/registry/protection/repository/rules';
  const repositoryRule = async ({ project: { id, fullPath } }: Stage) => {
    const repositoryPathPattern = `${fullPath}/${world.unique('r')}*`;
    const data = { projectId: id, repositoryPathPattern, minimumAccessLevelForPush: 'owner' } as const;
    return { id, protection_rule_id: (await world.db.containerProtectionRepositoryRule.create({ data })).id };
  };
  const packageRules = '/projects/:id/packages/protection/rules';
  const packageRule = async ({ project: { id } }: Stage) => {
    const named = { packageType: 'npm', packageNamePattern: world.unique('p') } as const;
    const data = { projectId: id, ...named, minimumAccessLevelForPush: 'owner' } as const;
    return { id, package_protection_rule_id: (await world.db.packagesProtectionRule.create({ data })).id };
  };
  const changedTagRule = async (at: Stage) => ({ ...(await tagRule(at)), tag_name_pattern: world.unique('w') });
  const protections: Record<string, Rule> = {
    'GET /projects/:id/protected_branches': { ...repository, given: project },
    'GET /projects/:id/protected_branches/:name': { ...repository, given: protectedBranch },
    'POST /projects/:id/protected_branches': {
      ...master,
      success: 201,
      given: (at) => ({ ...project(at), name: world.unique('branch') }),
    },
    'PATCH /projects/:id/protected_branches/:name': {
      ...master,
      success: 200,
      given: async (at) => ({ ...(await protectedBranch(at)), allow_force_push: true }),
    },
    'DELETE /projects/:id/protected_branches/:name': { ...master, success: 204, given: protectedBranch },
    'GET /projects/:id/protected_tags': { ...master, success: 200, given: project },
    'GET /projects/:id/protected_tags/:name': { ...master, success: 200, given: protectedTag },
    'POST /projects/:id/protected_tags': {
      ...master,
      success: 201,
      given: (at) => ({ ...project(at), name: world.unique('tag') }),
    },
    'DELETE /projects/:id/protected_tags/:name': { ...master, success: 204, given: protectedTag },
    [`GET ${tagRules}`]: { ...master, success: 200, given: project },
    [`POST ${tagRules}`]: {
      ...master,
      success: 201,
      given: async (at) => {
        await world.db.containerTagProtectionRule.deleteMany({ where: { projectId: at.project.id } });
        return { ...project(at), tag_name_pattern: world.unique('v') };
      },
    },
    [`PATCH ${tagRules}/:protection_rule_id`]: { ...master, success: 200, given: changedTagRule },
    [`DELETE ${tagRules}/:protection_rule_id`]: { ...master, success: 204, given: tagRule },
    [`GET ${repositoryRules}`]: { ...master, success: 200, given: project },
    [`POST ${repositoryRules}`]: {
      ...master,
      success: 201,
      given: (at) => ({
        ...{ ...project(at), ...role },
        repository_path_pattern: `${at.project.fullPath}/${world.unique('r')}*`,
      }),
    },
    [`PATCH ${repositoryRules}/:protection_rule_id`]: {
      ...master,
      success: 200,
      given: async (at) => ({ ...(await repositoryRule(at)), minimum_access_level_for_push: 'admin' }),
    },
    [`DELETE ${repositoryRules}/:protection_rule_id`]: { ...master, success: 204, given: repositoryRule },
    [`GET ${packageRules}`]: { ...master, success: 200, given: project },
    [`POST ${packageRules}`]: {
      ...master,
      success: 201,
      given: (at) => ({ ...project(at), ...role, package_type: 'npm', package_name_pattern: world.unique('p') }),
    },
    [`PATCH ${packageRules}/:package_protection_rule_id`]: {
      ...master,
      success: 200,
      given: async (at) => ({ ...(await packageRule(at)), minimum_access_level_for_push: 'admin' }),
    },
    [`DELETE ${packageRules}/:package_protection_rule_id`]: { ...master, success: 204, given: packageRule },
    'GET /projects/:id/push_rule': { ...master, success: 200, given: ruled },
    'POST /projects/:id/push_rule': { ...master, success: 201, given: unruled },
    'PUT /projects/:id/push_rule': { ...master, success: 200, given: ruled },
    'DELETE /projects/:id/push_rule': { ...master, success: 204, given: ruled },
  };

  return {
    ...ofReleases,
    ...ofWikis,
    ...ofMirrors,
    ...ofPackages,
    ...ofImages,
    ...ofDebian,
    ...ofNpm,
    ...protections,
    'GET /projects/:id/deploy_keys': { success: 200, level: 40, given: project },
    'GET /projects/:id/deploy_keys/:key_id': { success: 200, level: 40, given: deployKey },
    'POST /projects/:id/deploy_keys': {
      success: 201,
      level: 40,
      given: (at) => ({ ...project(at), title: 'key', key: newKey() }),
    },
    'POST /projects/:id/deploy_keys/:key_id/enable': { success: 201, level: 40, given: foreignDeployKey },
    'DELETE /projects/:id/deploy_keys/:key_id': { success: 204, level: 40, given: deployKey },
    'POST /projects/:id/repository/commits': {
      success: 201,
      level: 30,
      given: async (at) => ({
        ...(await branches(at)),
        ...how,
        actions: [{ action: 'create', file_path: world.unique('file'), content: '' }],
      }),
    },
    'POST /projects/:id/repository/commits/:sha/cherry_pick': {
      success: 201,
      level: 30,
      given: async (at) => ({
        ...(await branches(at)),
        // No merge request is into that branch.
        sha: (await newFile(at, (await newBranch(at)).branch)).commit.oid,
        branch: 'topic',
      }),
    },
    'POST /projects/:id/repository/commits/:sha/revert': {
      success: 201,
      level: 30,
      given: async (at) => ({
        ...(await branches(at)),
        sha: (await newFile(at, 'topic')).commit.oid,
        branch: 'topic',
      }),
    },
    'GET /projects/:id/repository/commits/:sha/refs': { ...repository, open: 'user', given: commit },
    'GET /projects/:id/repository/commits/:sha/sequence': { ...repository, open: 'user', given: commit },
    'GET /projects/:id/repository/commits/:sha/signature': {
      ...repository,
      open: 'user',
      given: async (at) => {
        const given = await branches(at);
        return { ...given, sha: await signedCommit(at, given.id) };
      },
    },
    'GET /projects/:id/repository/changelog': {
      ...repository,
      open: 'user',
      given: async (at) => ({ ...(await filled(at)), version: '1.0.0', from: 'main' }),
    },
    'POST /projects/:id/repository/changelog': {
      success: 200,
      level: 30,
      given: async (at) => {
        const given = await branches(at);
        return { ...given, version: '1.0.0', from: 'master', branch: 'topic', file: world.unique('file') };
      },
    },
    'PUT /projects/:id/repository/submodules/:submodule': {
      success: 200,
      level: 30,
      given: async (at) => {
        const given = await branches(at);
        await linkSubmodule(at, given.id);
        return { ...given, branch: 'linked', submodule: 'lib', commit_sha: '2'.repeat(40) };
      },
    },
    'GET /projects/:id/repository/merge_base': {
      ...repository,
      open: 'user',
      given: async (at) => ({ ...(await filled(at)), refs: ['main', 'v1'] }),
    },
    'POST /projects/:id/repository/commits/:sha/comments': {
      success: 201,
      level: 20,
      open: 'user',
      given: async (at) => ({ ...(await branches(at)), sha: 'master', note: 'a note' }),
    },
    'GET /projects/:id/repository/files/:file_path/blame': { ...repository, given: file },
    'POST /projects/:id/repository/files/:file_path': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), ...how, file_path: world.unique('file'), content: '' }),
    },
    'PUT /projects/:id/repository/files/:file_path': {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await writtenFile(at)), content: 'new' }),
    },
    'DELETE /projects/:id/repository/files/:file_path': { success: 200, level: 30, given: writtenFile },
    'POST /projects/:id/repository/branches': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), branch: world.unique('branch'), ref: 'master' }),
    },
    'DELETE /projects/:id/repository/branches/:branch': { success: 200, level: 30, given: newBranch },
    'PUT /projects/:id/repository/branches/:branch/protect': { success: 200, level: 40, given: newBranch },
    'PUT /projects/:id/repository/branches/:branch/unprotect': { success: 200, level: 40, given: newBranch },
    'DELETE /projects/:id/repository/merged_branches': { success: 202, level: 30, given: fresh },
    'POST /projects/:id/repository/tags': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), tag_name: world.unique('tag'), ref: 'master' }),
    },
    'DELETE /projects/:id/repository/tags/:tag_name': { success: 204, level: 30, given: newTag },
    'POST /projects/:id/repository/tags/:tag_name/release': { success: 201, level: 30, given: notes },
    'PUT /projects/:id/repository/tags/:tag_name/release': {
      success: 200,
      level: 30,
      given: async (at) => {
        const given = await notes(at);
        const { id: projectId, tag_name: tag, description } = given;
        await world.db.release.create({ data: { projectId, tag, description } });
        return given;
      },
    },
    'GET /projects/:id/repository/tree': { ...repository, given: filled },
    'GET /projects/:id/repository/blobs/:sha': { ...repository, given: blob },
    'GET /projects/:id/repository/blobs/:sha/raw': { ...repository, given: blob },
    'GET /projects/:id/repository/files/:file_path': { ...repository, given: file },
    'GET /projects/:id/repository/files/:file_path/raw': { ...repository, given: file },
    'GET /projects/:id/repository/archive': { ...repository, given: filled },
    'GET /projects/:id/repository/archive.zip': { ...repository, given: filled },
    'GET /projects/:id/repository/archive.tar': { ...repository, given: filled },
    'GET /projects/:id/repository/archive.tar.gz': { ...repository, given: filled },
    'GET /projects/:id/repository/archive.tar.bz2': { ...repository, given: filled },
    ...Object.fromEntries(
      ['tgz', 'tbz', 'tbz2', 'tb2', 'bz2'].map((name): [string, Rule] => [
        `GET /projects/:id/repository/archive.${name}`,
        { ...repository, given: filled },
      ]),
    ),
    'GET /projects/:id/repository/compare': {
      ...repository,
      given: async (at) => ({ ...(await filled(at)), from: 'main', to: 'v1' }),
    },
    'GET /projects/:id/repository/contributors': { ...repository, given: filled },
    'GET /projects/:id/languages': { success: 200, level: 20, open: 'anyone', given: filled },
    'GET /projects/:id/repository/commits': { ...repository, open: 'user', given: filled },
    'GET /projects/:id/repository/commits/:sha': { ...repository, open: 'user', given: commit },
    'GET /projects/:id/repository/commits/:sha/diff': { ...repository, open: 'user', given: commit },
    'GET /projects/:id/repository/commits/:sha/merge_requests': { ...repository, open: 'user', given: commit },
    'GET /projects/:id/repository/commits/:sha/comments': { ...repository, open: 'user', given: commit },
    ...onCommits,
    'GET /projects/:id/repository/branches': { ...repository, given: filled },
    'GET /projects/:id/repository/branches/:branch': {
      ...repository,
      given: async (at) => ({ ...(await filled(at)), branch: 'main' }),
    },
    'GET /projects/:id/repository/tags': { ...repository, given: filled },
    'GET /projects/:id/repository/tags/:tag_name': {
      ...repository,
      given: async (at) => ({ ...(await filled(at)), tag_name: 'v1' }),
    },
  };
}
