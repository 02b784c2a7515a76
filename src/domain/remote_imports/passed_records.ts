import { snakeCase } from '#src/base/text.ts';
import { keepUsable } from '#src/domain/gitlab_archives/relations/usable.ts';
import { archivedColumns, KINDS, type Kind, SUBJECTS } from '#src/domain/project_archives/kinds.ts';
import { valueHash } from '#src/domain/project_archives/source_records.ts';
import type { LeftOut } from '#src/domain/remote_imports/base/source.ts';
import type { TreeWriter } from '#src/domain/remote_imports/tree_writer.ts';
import { factsOf } from '#src/platform/records/model.ts';

type Given = Readonly<Record<string, unknown>>;

/** Kinds whose records come whole from their source. */
const PASSED: ReadonlySet<string> = new Set([
  ...['issue_links', 'merge_request_approvals', 'timelogs', 'milestone_events', 'award_emoji', 'suggestions'],
  ...['snippets', 'snippet_files', 'boards', 'board_lists', 'badges', 'release_links', 'release_milestones'],
  ...['protected_branches', 'protected_branch_levels', 'protected_tags', 'protected_tag_levels'],
  ...['approval_rules', 'approval_rule_users', 'approval_rule_branches', 'commit_comments'],
]);
const BY_NAME: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind.name, kind]));
/** How many different things that were left out are told. */
const MAX_LEFT_OUT = 100;

/** Writes records that need no more than a look at their values, and at what they refer to. */
export class PassedRecords {
  readonly #tree: TreeWriter;
  readonly #textOf: (text: unknown) => string | null;
  readonly #urlOf: (address: string) => string | null;
  /** Records without a number. */
  readonly #written = new Set<string>();
  readonly #leftOut = new Map<string, LeftOut>();

  /**
   * @param textOf what a text of the source becomes
   * @param urlOf the address here of a file that came along, by that at the source
   */
  constructor(tree: TreeWriter, textOf: (text: unknown) => string | null, urlOf: (address: string) => string | null) {
    this.#tree = tree;
    this.#textOf = textOf;
    this.#urlOf = urlOf;
  }

  get leftOut(): readonly LeftOut[] {
    return [...this.#leftOut.values()];
  }

  /** Writes a record once, unless what it refers to did not come along. Returns false for a kind of which others know more. */
  async write(name: string, record: Given): Promise<boolean> {
    const kind = PASSED.has(name) ? BY_NAME.get(name) : undefined;
    if (kind === undefined) return false;
    if (!this.#refers(kind, record)) return true;
    const row = this.#rowOf(kind, record);
    if (!(await keepUsable(kind, row, (message) => this.#leaveOut(name, message)))) return true;
    const snaked = Object.fromEntries(Object.entries(row).map(([column, value]) => [snakeCase(column), value]));
    const { id } = record;
    if (id !== undefined) await this.#tree.once(name, id as number, { id, ...snaked });
    else if (this.#isNew(name, snaked)) {
      // Their source has no numbers for them.
      if (archivedColumns(kind, factsOf(kind.model).key).includes('id'))
        await this.#tree.add(name, keyOf(name, record), snaked);
      else await this.#tree.write(name, snaked);
    }
    return true;
  }

  #isNew(name: string, record: Given): boolean {
    const key = `${name} ${JSON.stringify(record)}`;
    if (this.#written.has(key)) return false;
    this.#written.add(key);
    return true;
  }

  #refers({ refs, ofSubject }: Kind, record: Given): boolean {
    const all = Object.entries(refs).map(([column, target]) => [target, record[snakeCase(column)]] as const);
    if (ofSubject) all.push([SUBJECTS.get(String(record.subject_type)) ?? '', record.subject_id ?? 0]);
    // A thread on a commit is known by its first comment.
    const written = (target: string) => (target === 'commit_threads' ? 'commit_comments' : target);
    return all.every(([target, id]) => id == null || this.#tree.has(written(target), id as number));
  }

  /** The columns of a record by Prisma's names, with texts as they are here. */
  #rowOf(kind: Kind, record: Given): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    const columns = [...Object.keys(kind.columns), ...Object.keys(kind.refs), ...Object.keys(kind.users)];
    if (kind.ofSubject) columns.push('subjectType', 'subjectId');
    for (const column of columns) row[column] = record[snakeCase(column)];
    if (kind.name === 'snippets') row.description = this.#textOf(row.description);
    if (kind.name === 'commit_comments') row.note = this.#textOf(row.note);
    if (typeof row.url === 'string') row.url = this.#urlOf(row.url) ?? row.url;
    return row;
  }

  #leaveOut(kind: string, message: string): void {
    if (this.#leftOut.size < MAX_LEFT_OUT) this.#leftOut.set(`${kind} ${message}`, { kind, name: null, message });
  }
}

/** What names a record for which the source has no number. */
function keyOf(name: string, record: Given): string {
  return name === 'merge_request_approvals' ? `${record.merge_request_id} ${record.user_id}` : valueHash(record);
}
