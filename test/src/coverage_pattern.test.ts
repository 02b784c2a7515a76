import { describe, expect, it } from 'vitest';
import { findCoverage } from '#src/domain/ci/jobs/find_coverage.ts';
import { isPattern } from '#src/domain/ci/pipelines/config/base/pattern.ts';

const REPORT = 'Lines: 1 of 2\nTOTAL coverage 87.5% of lines\nDone.';

describe('A pattern for coverage finds its number', () => {
  it.each([
    ['/coverage (\\d+\\.\\d+)%/', 87.5],
    ['/total/', null],
    ['/TOTAL .*%/', 87.5],
    ['/total.*?(\\d+)/i', 87],
    ['/(?i)total coverage (\\d+\\.\\d+)/', 87.5],
    ['/(?i:total) coverage (\\d+)/', 87],
    ['/(?i:TOTAL) COVERAGE (\\d+)/', null],
    ['/((?i)total) COVERAGE/', null],
    ['/(?i)total (?-i)coverage (\\d+)/', 87],
    ['/(?i)total (?-i)COVERAGE (\\d+)/', null],
    ['/T(?i)xx|otal coverage (\\d+)/', 87],
    ['/(?i:tot[a-c]l) coverage (\\d+)/', 87],
    ['/(?i:tot[^A-C]l) coverage (\\d+)/', null],
    ['/(?i:to[tx]a[l]) co[V]erage/', null],
    ['/(?i:[[:lower:]]+) coverage (\\d+)/', 87],
    ['/(?i:[+-z]{5}) coverage (\\d+)/', 87],
    ['/TOTAL(?-i:.)(?i:COVERAGE)(?:.)(\\d+)/i', 87],
    ['/total(?-i: COVERAGE)/i', null],
    ['/(?i-m:total)\\s+coverage\\s(\\d+)/', 87],
    ['/coverage (?>\\d+)\\.(\\d+)/', 5],
    ['/coverage (?>8|87)\\.5/', null],
    ['/(cov(?>erage)) (\\d+)/', 87],
    ['/coverage (\\d++)\\./', 87],
    ['/coverage \\d*+\\d/', null],
    ['/(?:(co)v)?+erage (\\d+)/', 87],
    ['/(?:T(O)TAL)++ coverage (\\d+)/', 87],
    ['/(O)T.*(?>c)\\w+ (\\d+)/', 87],
    ['/c(o)ver.*\\1f/', null],
    ['/c(?>o)ver(age) (\\h+)/', 87],
    ['/coverage [\\h.]+/', 87.5],
    ['/c[^\\H]/', null],
    ['/coverage[[:space:]]+([[:digit:]]+)/', 87],
    ['/(?<word>TOTAL) (coverage) (?<number>\\d+)/', 87],
    ['/\\ATOTAL/', null],
    ['/\\ALines: (\\d)/', 1],
    ['/^TOTAL coverage (\\d+)/', 87],
    ['/Lines(?m:.*)coverage (\\d+)/', 87],
    ['/Lines.*coverage (\\d+)/', null],
    ['/Lines.*coverage (\\d+)/m', 87],
    ['/ TOTAL \\s coverage \\s ( \\d+ ) # of lines/x', 87],
    ['/(?#what is covered)coverage (\\d+)/', 87],
    ['/coverage (\\d{2})\\.\\d{,2}/', 87],
    ['/\\d{2}+\\.5%\\Z/', null],
    ['/coverage: \\d+/', null],
  ])('%s: %s', (pattern, coverage) => {
    expect(isPattern(pattern)).toBe(true);
    expect(findCoverage(pattern, REPORT)).toBe(coverage);
  });

  it.each([
    '/(/',
    '/)/',
    '/(?i/',
    '/[/',
    '/(?<n/',
    '/*/',
    '/(?>a/',
    '/a/u',
    '/(?z)a/',
    '/\\/',
    `/${'('.repeat(200)}${')'.repeat(200)}/`,
  ])('but %s is none', (pattern) => expect(isPattern(pattern)).toBe(false));

  it('and long ones are refused before they are read', () => {
    expect(isPattern(`/${'a'.repeat(4_000)}/`)).toBe(true);
    expect(isPattern(`/${'a'.repeat(5_000)}/`)).toBe(false);
    const long = ['(?i)', '(?>a)', 'a++', '[[:digit:]]', '(?<a', '(?#', '\\1', 'a{1', '[', '(?>', '(?x:#'];
    for (const piece of long) expect(isPattern(`/${piece.repeat(20_000)}/`)).toBe(false);
  });
});
