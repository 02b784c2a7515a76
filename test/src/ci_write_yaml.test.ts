import { describe, expect, it } from 'vitest';
import { loadYaml } from '#src/domain/ci/pipelines/config/yaml/load.ts';
import { writeYaml } from '#src/domain/ci/pipelines/config/yaml/write.ts';

describe('A configuration in one piece', () => {
  it('is written as people write it', () => {
    const value = {
      stages: ['build', 'test'],
      'unit 1/2': {
        script: ['make', 'echo "a: b"', 'one\ntwo\n'],
        tags: [],
        variables: { A: '1', B: '$C', D: 'x: y' },
        retry: 2,
      },
      rules: [{ if: '$A == "b"', when: 'never' }, [1, 2], {}],
    };
    expect(writeYaml(value)).toBe(`---
stages:
- build
- test
unit 1/2:
  script:
  - make
  - "echo \\"a: b\\""
  - |
    one
    two
  tags: []
  variables:
    A: "1"
    B: $C
    D: "x: y"
  retry: 2
rules:
- if: $A == "b"
  when: never
- - 1
  - 2
- {}
`);
  });

  it.each([
    [
      'texts that look like something else',
      [
        'true',
        'null',
        '~',
        '',
        '1',
        '1.5',
        '0x1',
        'yes',
        'no',
        '- a',
        '*a',
        '&a',
        '!a',
        '? a',
        '@a',
        '`a',
        '%a',
        '#a',
        'a #b',
        'a: b',
        'a:',
        '[a',
        '{a',
        "'a",
        '"a',
        ' a',
        'a ',
        '\ta',
        '|',
        '>',
        '---',
        '...',
        '=',
        '<<',
        ',a',
        ']',
        '}',
      ],
    ],
    [
      'texts of several lines',
      [
        'a\nb',
        'a\nb\n',
        'a\n\nb',
        'a\n\n',
        '\na',
        ' a\nb',
        'a\n  b\n c',
        'a\tb\nc',
        '\n',
        'a\r\nb',
        'a\u0085b\nc',
        'a\u2028b\nc',
        '# a\nb',
        '- a\n- b',
        'a: b\nc: d',
      ],
    ],
    [
      'other values',
      [null, true, false, 0, -1, 1.5, [], {}, [[]], [{}], [[[1]], 2], { a: { b: [{ c: 'd', e: ['f\ng'] }] } }],
    ],
    ['odd keys', [{ 'a: b': 1, '- c': 2, '': 3, true: 4, '1': 5, 'd\ne': 6, é: 7, '#': 8, '$[[ x ]]': 9 }]],
  ])('is read again as it was: %s', (_, value) => {
    expect(JSON.parse(JSON.stringify(loadYaml(writeYaml({ value }))))).toEqual({ value });
  });
});
