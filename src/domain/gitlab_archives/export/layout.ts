import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { issues } from '#src/domain/gitlab_archives/export/issues.ts';
import { mergeRequests } from '#src/domain/gitlab_archives/export/merge_requests.ts';
import {
  approvalRules,
  boards,
  contributors,
  features,
  head,
  members,
  protectedBranches,
  protectedTags,
  releases,
  simple,
  snippets,
} from '#src/domain/gitlab_archives/export/project.ts';
import { Records, type Row } from '#src/domain/gitlab_archives/export/records.ts';
import { label, milestone } from '#src/domain/gitlab_archives/export/tracked.ts';
import type { ArchiveLayout, ExportSource } from '#src/domain/project_archives/layout.ts';
import { lfsObjectsOf } from '#src/domain/project_archives/lfs_objects.ts';
import { archivedSettings, snippetsWithRepository } from '#src/domain/project_archives/source.ts';

/** The version of the format that is written, which GitLab reads since 12.0. */
const FORMAT_VERSION = '0.2.4';
const LFS_OBJECTS = 'lfs-objects.json';
/** What GitLab calls the repository that an object of Git LFS belongs to: that of the project. */
const OF_PROJECT = 0;

/** Archives of projects as GitLab makes and reads them (docs/moving-in.md, "Moving out"). */
export const GITLAB_LAYOUT: ArchiveLayout = {
  repository: 'project.bundle',
  wiki: 'project.wiki.bundle',
  bundlesHaveHead: true,
  avatar: (ending) => `avatar/avatar.${ending}`,
  lfsObject: (oid) => `lfs-objects/${oid}`,
  async writeRecords(source) {
    const { tx, context, project, directory, description } = source;
    await mkdir(path.join(directory, 'tree', 'project'), { recursive: true });
    const records = new Records(source);
    await keepNamed(records);
    const settings = await archivedSettings(tx, project.id);
    const reader = await context.repositories.open(project);
    const kept: Row[] = [];
    // The order is that of their creation by GitLab, so that what refers to something comes behind it.
    const relations: Record<string, AsyncIterable<object> | Iterable<object>> = {
      labels: every(records.labels, (id) => label(records, id)),
      milestones: every(records.milestones, (id) => milestone(records, id)),
      issues: issues(records),
      snippets: snippets(records, (row) => kept.push(row)),
      releases: releases(records, reader),
      project_members: members(records),
      merge_requests: mergeRequests(records, reader),
      commit_notes: simple.commit_notes(records),
      container_expiration_policy: simple.container_expiration_policy(records),
      protected_branches: protectedBranches(records),
      protected_tags: protectedTags(records),
      approval_rules: approvalRules(records),
      push_rule: simple.push_rule(records),
      project_feature: [features(records, settings)],
      project_badges: simple.project_badges(records),
      ci_cd_settings: [
        { group_runners_enabled: settings.groupRunnersEnabled, default_git_depth: settings.ciDefaultGitDepth },
      ],
      boards: boards(records),
      user_contributions: contributors(records),
    };
    const files = ['VERSION', 'tree/project.json'];
    await writeFile(path.join(directory, 'VERSION'), FORMAT_VERSION);
    await writeFile(path.join(directory, 'tree/project.json'), JSON.stringify(head(settings, description)));
    for (const [relation, lines] of Object.entries(relations)) {
      const file = `tree/project/${relation}.ndjson`;
      await pipeline(asLines(lines), createWriteStream(path.join(directory, file)));
      files.push(file);
    }
    await writeLfsList(source);
    return { files: [...files, LFS_OBJECTS], snippets: await withBundles(source, kept) };
  },
};

/** Reads the labels and milestones, which many records name. */
async function keepNamed(records: Records): Promise<void> {
  const priorities = new Map<unknown, unknown>();
  for await (const { labelId, priority } of records.all('label_priorities')) priorities.set(labelId, priority);
  for await (const row of records.all('labels')) {
    const id = row.id as number;
    records.labels.set(id, { ...row, priority: row.priority ?? priorities.get(id) ?? null });
  }
  for await (const row of records.all('milestones')) records.milestones.set(row.id as number, row);
  renumber(records.milestones);
}

/** Milestones of groups become the project's, whose numbers are taken once: those of groups get the next ones. */
function renumber(milestones: Map<number, Row>): void {
  const own = [...milestones.values()].filter(({ groupId }) => groupId == null);
  let last = own.reduce((most, { iid }) => Math.max(most, iid as number), 0);
  for (const [id, row] of milestones) if (row.groupId != null) milestones.set(id, { ...row, iid: ++last });
}

function* every(rows: ReadonlyMap<number, Row>, made: (id: number) => object | null): Generator<object> {
  for (const id of rows.keys()) yield made(id) ?? {};
}

async function* asLines(records: AsyncIterable<object> | Iterable<object>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

/** Says which repository the objects of Git LFS belong to. */
async function writeLfsList({ tx, project, directory }: ExportSource): Promise<void> {
  const found: Record<string, number[]> = {};
  for await (const { oid } of lfsObjectsOf(tx, project.id)) found[oid] = [OF_PROJECT];
  await writeFile(path.join(directory, LFS_OBJECTS), JSON.stringify(found));
}

/** GitLab finds the repository of a snippet by a hash of what it says of it. */
async function withBundles({ tx }: ExportSource, kept: readonly Row[]) {
  const rows = new Map(kept.map((row) => [row.id, row]));
  const found = await snippetsWithRepository(
    tx,
    kept.map(({ id }) => id as number),
  );
  return found.map((one) => {
    const { title, description, createdAt, updatedAt } = rows.get(one.id) ?? {};
    const time = (value: unknown) => new Date(String(value)).toISOString().replace(/^(.*)T(.*)\.\d+Z$/, '$1 $2 UTC');
    const text = `${title}${description ?? ''}${time(createdAt)}${time(updatedAt)}`;
    return { ...one, bundle: `snippets/${createHash('sha256').update(text).digest('hex')}.bundle` };
  });
}
