import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { breakingChanges } from '../../scripts/breaking_changes.ts';
import { deprecationProblems } from '../../scripts/deprecations.ts';
import { asReleased, releasedVersion } from '../../scripts/released_schema.ts';
import { LONG } from '../support/long.ts';

const released = 'type Query { project(ref: ID!): String, group: String! }';
const read = (file: string) => readFileSync(packagePath(file), 'utf8');

describe('The check of the schema', () => {
  it('refuses what breaks clients of the last release', () => {
    expect(breakingChanges(released, 'type Query { project(ref: ID!, of: ID!): String, group: String }', '')).toEqual([
      'FIELD_CHANGED_KIND: Field Query.group changed type from String! to String.',
      'REQUIRED_ARG_ADDED: A required argument Query.project(of:) was added.',
    ]);
  });

  it('lets pass what adds to the schema', () => {
    expect(
      breakingChanges(released, 'type Query { project(ref: ID!, of: ID): String!, group: String!, user: ID }', ''),
    ).toEqual([]);
  });

  it('lets pass what is written down, and nothing beside it', () => {
    const accepted = '# meant\nFIELD_REMOVED: Field Query.group was removed.\n';
    expect(breakingChanges(released, 'type Query { project(ref: ID!): String }', accepted)).toEqual([]);
    expect(breakingChanges(released, 'type Query { other: ID }', accepted)).toEqual([
      'FIELD_REMOVED: Field Query.project was removed.',
    ]);
  });

  it('refuses another name for a field that came with the last release', LONG, () => {
    const renamed = read('schema/schema.graphql').replaceAll(/^ {2}pipelineSchedules\b/gm, '  renamedSchedules');
    expect(breakingChanges(read('schema/released.graphql'), renamed, read('schema/accepted_changes.txt'))).toEqual([
      'FIELD_REMOVED: Field Project.pipelineSchedules was removed.',
    ]);
  });
});

const dated = (since: string, removal: string) =>
  `type Query { old: ID @deprecated(reason: "Use new. Since ${since}; removed in ${removal} at the earliest."), new: ID }`;

describe('What is deprecated', () => {
  it('goes in the version that was announced, and not before, whatever is accepted', () => {
    const without = 'type Query { new: ID }';
    const removed = 'FIELD_REMOVED: Field Query.old was removed.';
    expect(breakingChanges(dated('0.3.0', '0.5.0'), without, removed, '0.3.0')).toEqual([
      `${removed} It stays until 0.5.0.`,
    ]);
    expect(breakingChanges(dated('0.3.0', '0.5.0'), without, '', '0.4.1')).toEqual([]);
    expect(breakingChanges(dated('0.3.0', '0.5.0'), without, '', '1.0.0')).toEqual([]);
  });

  it('is an argument, a field of an input or a value of an enum alike', () => {
    const reason = '@deprecated(reason: "Gone. Since 0.3.0; removed in 0.5.0 at the earliest.")';
    const before = `type Query { a(b: ID ${reason}, c: In, d: En): ID } input In { e: ID ${reason}, f: ID } enum En { G H ${reason} }`;
    const after = 'type Query { a(c: In, d: En): ID } input In { f: ID } enum En { G }';
    expect(breakingChanges(before, after, '', '0.4.0')).toEqual([]);
    expect(breakingChanges(before, after, '', '0.3.0')).toHaveLength(3);
  });

  it('says since when it is, and stays for two minor releases', () => {
    expect(deprecationProblems('type Query { new: ID }', dated('0.3.0', '0.5.0'))).toEqual([]);
    expect(deprecationProblems('type Query { new: ID }', dated('0.3.0', '1.0.0'))).toEqual([]);
    expect(deprecationProblems('type Query { new: ID }', dated('0.3.0', '0.4.0'))).toHaveLength(1);
    expect(deprecationProblems('type Query { new: ID }', 'type Query { a: ID @deprecated(reason: "Use b.") }')).toEqual(
      ['Query.a: use deprecated() of schema/deprecated.ts.'],
    );
    expect(deprecationProblems(dated('0.3.0', '0.6.0'), dated('0.3.0', '0.5.0'))).toHaveLength(1);
  });

  it('is so in the whole schema', LONG, () => {
    expect(deprecationProblems(read('schema/released.graphql'), read('schema/schema.graphql'))).toEqual([]);
  });
});

describe('The schema of the last release', () => {
  it('is that of the version of the package, which is the newest that the changelog calls released', () => {
    const { version }: { version: string } = JSON.parse(read('package.json'));
    expect(releasedVersion(read('schema/released.graphql'))).toBe(version);
    expect(/^## (\d\S*) – \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
  });

  it('says what it is of, and has what clients can break on', () => {
    const text = asReleased('"""All."""\ntype Query {\n  """A group."""\n  group: String!\n}', '1.2.3');
    expect(text).toBe('# The schema of version 1.2.3.\n\ntype Query {\n  group: String!\n}\n');
    expect(releasedVersion(text)).toBe('1.2.3');
    expect(releasedVersion('type Query { group: String! }')).toBeNull();
  });
});
