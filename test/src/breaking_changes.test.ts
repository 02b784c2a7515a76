import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../scripts/breaking_changes.ts';

const released = 'type Query { project(ref: ID!): String, group: String! }';

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
});
