import { setNpmDistTag } from '#src/domain/packages/npm.ts';
import { SourceRecords } from '#src/domain/project_archives/source_records.ts';
import type { Page, Phase } from '#src/domain/remote_imports/base/source.ts';
import { NpmDocuments } from '#src/domain/remote_imports/registry/npm_documents.ts';
import { MAX_PACKAGE_FILES, type StagedPackageFile, stagedList } from '#src/domain/remote_imports/registry/staged.ts';
import { type Transfer, transferSome } from '#src/domain/remote_imports/registry/transfer.ts';

/** Has the tags of npm packages lead where they do at the source, unless they were changed here. */
export function npmTagsPhase(transfer: Transfer): Phase {
  return {
    name: 'package_tags',
    part: 'packages',
    async page(context, cursor): Promise<Page> {
      const files = await stagedList<StagedPackageFile>(context, 'package_files', MAX_PACKAGE_FILES, ({ id }) => id);
      const documents = new Map<string, string>();
      for (const { type, name, document } of files)
        if (type === 'npm' && document !== null) documents.set(name, document);
      const reader = new NpmDocuments(context.client);
      return transferSome(
        transfer,
        [...documents],
        cursor,
        'packages',
        ([name]) => `npm ${name}`,
        async ([name, address]) => setTags(transfer, name, (await reader.read(address)).tags),
      );
    },
  };
}

/** Returns what stays as it is here, in words; null if nothing does. */
async function setTags(
  { context, projectId }: Transfer,
  packageName: string,
  tags: ReadonlyMap<string, string>,
): Promise<string | null> {
  const source = new SourceRecords(context.db, projectId);
  const keyOf = (tag: string) => `${packageName} ${tag}`;
  const known = await source.find('package_tags', [...tags.keys()].map(keyOf));
  const here = await context.db.packageTag.findMany({
    where: { projectId, packageName },
    select: { name: true, package: { select: { version: true } } },
  });
  const kept: string[] = [];
  for (const [tag, version] of tags) {
    const own = here.find(({ name }) => name === tag)?.package.version;
    const last = known.get(keyOf(tag))?.fields.version;
    if (own === undefined && last !== undefined) continue;
    if (own !== undefined && own !== version && own !== last) {
      if (last !== version) kept.push(tag);
      continue;
    }
    const where = { projectId, type: 'npm', name: packageName, version } as const;
    // The version stayed behind, or was deleted here.
    if (own === undefined && (await context.db.package.count({ where })) === 0) continue;
    if (own !== version) {
      if ((await context.db.package.count({ where })) === 0) continue;
      await setNpmDistTag(context, projectId, { packageName, tag, version });
    }
    await source.remember('package_tags', [{ key: keyOf(tag), recordId: null, otherId: null, fields: { version } }]);
  }
  return kept.length === 0 ? null : `The tags ${kept.join(', ')} were set here, and stay as they are.`;
}
