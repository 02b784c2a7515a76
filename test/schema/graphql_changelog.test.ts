import { describe, expect, it } from 'vitest';
import { END, graphqlChanges, withReleased } from '../../scripts/graphql_changes.ts';

const RELEASED = `
  type Query { dog: Dog cat: Cat lists(first: Int): [Dog] }
  type Dog { name: String old: String @deprecated(reason: "Use \`name\`. Since 0.1.0; removed in 0.3.0 at the earliest.") }
  type Cat { name: String }
  enum Size { BIG }`;

const CURRENT = `
  type Query { dog: Dog lists(first: Int, last: Int): [Dog] birds: [Bird] }
  type Mutation { feed(input: FeedInput): FeedPayload }
  type FeedPayload { dog: Dog }
  input FeedInput { grams: Int }
  "What flies. It also sings."
  type Bird { name: String }
  type Dog { name: String age: Int tag: String @deprecated(reason: "Use \`name\`. Since 0.2.0; removed in 0.4.0 at the earliest.") }
  enum Size { BIG SMALL }`;

describe('The changelog of the graph', () => {
  it('names what was added, what was deprecated and until when it stays, and what is gone', () => {
    expect(graphqlChanges(RELEASED, CURRENT)).toBe(`### Added: queries, mutations and subscriptions

- \`Query\`: \`birds\`
- \`Mutation\`: \`feed\`

### Added: types

- \`Bird\`: What flies.

### Added: fields and values of types that were there

- \`Dog\`: \`age\`, \`tag\`
- \`Size\`: \`SMALL\`

### Added: arguments

- \`Query.lists\`: \`last\`

### Deprecated

| | Instead | Since | Goes in, at the earliest |
| --- | --- | --- | --- |
| \`Dog.tag\` | Use \`name\`. | 0.2.0 | 0.4.0 |

### Gone or changed

- \`Cat\`
- \`Dog.old\`
- \`Query.cat\``);
    expect(graphqlChanges(CURRENT, CURRENT)).toBe('Nothing has changed.');
  });

  it('keeps the changes of each release, the latest first', () => {
    const page = `# Changes\n\n${END}\n\n## 0.1.0\n\nThe first.\n`;
    const second = withReleased(page, '0.2.0', '- one');
    expect(second).toBe(`# Changes\n\n${END}\n\n## 0.2.0\n\n- one\n\n## 0.1.0\n\nThe first.\n`);
    const versions = [...withReleased(second, '0.3.0', '- two').matchAll(/^## (\S+)$/gm)].map(([, version]) => version);
    expect(versions).toEqual(['0.3.0', '0.2.0', '0.1.0']);
    expect(() => withReleased('# Changes', '0.2.0', '')).toThrow('marker');
  });
});
