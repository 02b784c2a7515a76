import { generalLevels, SINGLE_LEVELS } from '#src/domain/gitlab_archives/relations/code.ts';
import { oneOf } from '#src/domain/gitlab_archives/relations/values.ts';
import { CHECKS } from '#src/domain/project_archives/checks.ts';
import { type PhaseContext, SourceInvalid, type StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  isGiven,
  objectsIn,
  optionalId,
  textIn,
  timeIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';
import { milestoneRecord, numberOf } from '#src/domain/remote_imports/gitlab/records.ts';
import { textWithFiles, uploadAt, uploadRecord, userIn } from '#src/domain/remote_imports/gitlab/values.ts';

const LINK_TYPES = { 0: 'other', 1: 'runbook', 2: 'package', 3: 'image' };

/** A release, with its links, and the files that these lead to if they are at the project. */
export function releaseRecords(given: Given, context: PhaseContext): StagedRecord[] {
  const records: StagedRecord[] = [];
  const tag = tagIn(given, 'tag_name');
  const id = numberOf(tag);
  const created = timeIn(given, 'created_at') ?? timeIn(given, 'released_at');
  const times = created === null ? {} : { created_at: created, updated_at: created };
  const record = {
    id,
    tag,
    name: textIn(given, 'name', 255).trim() || tag,
    description: textWithFiles(given, 'description', context, records),
    author_id: userIn(given, 'author', records),
    released_at: timeIn(given, 'released_at') ?? created,
    ...times,
  };
  records.push({ kind: 'releases', record });
  for (const milestone of objectsIn(given, 'milestones')) {
    const found = milestoneRecord(milestone, context, records);
    records.push(found, { kind: 'release_milestones', record: { release_id: id, milestone_id: found.record.id } });
  }
  const links = isGiven(given.assets) ? objectsIn(given.assets, 'links') : [];
  for (const link of links) records.push(...linkRecords(link, { id, created }, context));
  return records;
}

/** A tag of a server of before 11.7 with the notes of its release; nothing for one without. */
export function tagRecords(given: Given, context: PhaseContext): StagedRecord[] {
  if (!isGiven(given.release)) return [];
  const commit = isGiven(given.commit) ? given.commit : {};
  const at = timeIn(commit, 'committed_date') ?? timeIn(commit, 'created_at');
  const release = { tag_name: given.name, ...given.release, created_at: at, released_at: at };
  return releaseRecords(release, context);
}

function tagIn(given: Given, key: string): string {
  const tag = titleIn(given, key);
  if (!CHECKS.branch(tag)) throw new SourceInvalid(`The source answered with a record whose ${key} is not a tag.`);
  return tag;
}

/** A link of a release. What is a file of the project is taken along, and the link leads to that. */
function linkRecords(
  link: Given,
  release: { id: number; created: string | null },
  context: PhaseContext,
): StagedRecord[] {
  const given = textIn(link, 'url', 2_000).trim();
  const file = fileAt(given, release.created, link, context);
  const path = textIn(link, 'direct_asset_path', 2_000) || pathIn(link, context);
  const record = {
    id: optionalId(link, 'id') ?? numberOf(`${release.id} ${given}`),
    release_id: release.id,
    name: titleIn(link, 'name'),
    url: file === null ? given : file.record.address,
    type: oneOf(link.link_type, LINK_TYPES) ?? 'other',
    ...(path !== '' && { direct_asset_path: path }),
    ...(release.created !== null && { created_at: release.created }),
  };
  return [...(file && context.parts.has('attachments') ? [file] : []), { kind: 'release_links', record }];
}

/** Servers tell the whole address at which a link has a path of its own. */
function pathIn(link: Given, { project }: PhaseContext): string {
  const address = textIn(link, 'direct_asset_url', 2_000);
  const [, path = ''] = /\/-\/releases\/[^?#]{1,1500}?\/downloads(\/[^?#]{1,500})$/.exec(address) ?? [];
  return address.includes(`/${project.path}/-/releases/`) ? path : '';
}

/** A file of the project: an attached one, or one of its packages. */
function fileAt(address: string, created: string | null, link: Given, { project }: PhaseContext): StagedRecord | null {
  const upload = uploadAt(project, address);
  if (upload) return uploadRecord(project, upload.secret, upload.name, created);
  if (!URL.canParse(address)) return null;
  const { origin, pathname, search } = new URL(address);
  const packages = new URL(`${project.api}/packages/generic/`);
  if (origin !== packages.origin || !pathname.startsWith(packages.pathname) || search !== '') return null;
  const name = pathname.slice(pathname.lastIndexOf('/') + 1) || titleIn(link, 'name');
  const record = { release_id: null, name, address, url: address, accept: '*/*', created_at: created };
  return { kind: 'downloads', record };
}

/** A protected branch, or a rule for several. */
export function protectedBranchRecords(given: Given): StagedRecord[] {
  const name = tagIn(given, 'name');
  const id = numberOf(name);
  const record = {
    id,
    name,
    allow_force_push: given.allow_force_push === true,
    code_owner_approval_required: given.code_owner_approval_required === true,
  };
  const levels = (['push', 'merge', 'unprotect'] as const).flatMap((action) =>
    levelsIn(given, `${action}_access_levels`).map((level) => ({
      kind: 'protected_branch_levels',
      record: { protected_branch_id: id, action, access_level: level },
    })),
  );
  return [{ kind: 'protected_branches', record }, ...levels];
}

/** A branch of a server of before 9.5, which tells with each whether it is protected. */
export function branchRecords(given: Given): StagedRecord[] {
  if (given.protected !== true) return [];
  const level = (isOpen: unknown) => [{ access_level: isOpen === true ? 30 : 40 }];
  const rule = {
    name: given.name,
    push_access_levels: level(given.developers_can_push),
    merge_access_levels: level(given.developers_can_merge),
  };
  return protectedBranchRecords(rule);
}

export function protectedTagRecords(given: Given): StagedRecord[] {
  const name = tagIn(given, 'name');
  const id = numberOf(name);
  const levels = levelsIn(given, 'create_access_levels').map((level) => ({
    kind: 'protected_tag_levels',
    record: { protected_tag_id: id, access_level: level },
  }));
  return [{ kind: 'protected_tags', record: { id, name } }, ...levels];
}

function levelsIn(given: Given, key: string): number[] {
  return generalLevels(given[key]).levels;
}

/** Says of a protection that levels of it do not come along; null if all do. */
export function levelsLeftOut(given: Given): string | null {
  const keys = ['push_access_levels', 'merge_access_levels', 'unprotect_access_levels', 'create_access_levels'];
  return keys.some((key) => generalLevels(given[key]).leftOut > 0) ? SINGLE_LEVELS : null;
}
