import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseJunit, REPORT_LIMITS } from '#src/domain/ci/reports/junit.ts';
import { LONG } from '../support/long.ts';

const parse = (text: string | Buffer) => parseJunit(gzipSync(text));

describe('A JUnit report', () => {
  it('tells how each test ended, whatever suites are around it', () => {
    const { cases, error } = parse(`<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<testsuites name="all"><testsuite name="outer" file="spec/outer.rb">
  <properties><property name="a" value="1 &lt; 2"/></properties>
  <testcase classname="Sum" name="adds &quot;one&quot; &amp; &#252;&#x6e;&#xef;" time="1.5"/>
  <testsuite name="inner">
    <testcase classname="Sum" name="fails" file="spec/own.rb" time="0.25">
      <failure message="expected 2" type="Error"><![CDATA[expected <2>]]>
at line 3</failure>
      <system-out>[[ATTACHMENT|shots/a b.png]]</system-out>
    </testcase>
    <testcase name="breaks"><error message="no connection"/></testcase>
    <testcase name="later"><skipped message="not yet"/></testcase>
    <testcase name="slow" time="1,234.5"></testcase>
    <testcase name="odd" time="NaN"/>
  </testsuite>
</testsuite></testsuites>`);
    expect(error).toBeNull();
    const none = { classname: null, file: 'spec/outer.rb', executionTime: 0, systemOutput: null, attachment: null };
    expect(cases).toEqual([
      { ...none, status: 'success', name: 'adds "one" & ünï', classname: 'Sum', executionTime: 1.5 },
      {
        status: 'failed',
        name: 'fails',
        classname: 'Sum',
        file: 'spec/own.rb',
        executionTime: 0.25,
        systemOutput: 'expected <2>\nat line 3',
        attachment: 'shots/a b.png',
      },
      { ...none, status: 'error', name: 'breaks', systemOutput: 'no connection' },
      { ...none, status: 'skipped', name: 'later', systemOutput: 'not yet' },
      { ...none, status: 'success', name: 'slow', executionTime: 1234.5 },
      { ...none, status: 'success', name: 'odd' },
    ]);
  });

  it('may be several documents, as runners join files', () => {
    const one = (name: string) => gzipSync(`<?xml version="1.0"?><testsuite><testcase name="${name}"/></testsuite>`);
    const { cases } = parseJunit(Buffer.concat([one('a'), one('b')]));
    expect(cases.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('may be in another encoding', () => {
    const head = '<?xml version="1.0" encoding="ISO-8859-1"?>';
    expect(parse(Buffer.from(`${head}<testsuite><testcase name="ü"/></testsuite>`, 'latin1')).cases[0]?.name).toBe('ü');
    const wide = Buffer.from('\ufeff<testsuite><testcase name="ü"/></testsuite>', 'utf16le');
    expect(parse(wide).cases[0]?.name).toBe('ü');
  });

  it.each([
    ['an entity of its own', '<!DOCTYPE a [<!ENTITY b "ha">]><testsuite><testcase name="&b;"/></testsuite>'],
    ['a file that it refers to', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite/>'],
    ['an unknown entity', '<testsuite><testcase name="&nbsp;"/></testsuite>'],
    ['tags that do not match', '<testsuite><testcase></testsuite></testcase>'],
    ['a tag that is not closed', '<testsuite><testcase name="a">'],
    ['a malformed attribute', '<testsuite><testcase name=a/></testsuite>'],
    ['elements that are nested too deep', '<testsuite>'.repeat(2_000)],
    ['text alone', 'all is well'],
    ['another document', '<html><body/></html>'],
    ['nothing', ''],
  ])('is refused with %s', (_what, text) => {
    const { cases, error } = parse(text);
    expect([cases, error]).toEqual([[], expect.stringContaining('JUnit XML parsing failed')]);
  });

  it('is not unpacked beyond the limit, and has a limited number of tests with limited texts', LONG, () => {
    const bomb = parse(Buffer.alloc(REPORT_LIMITS.bytes + 1, ' '));
    expect([bomb.cases, bomb.error]).toEqual([[], expect.stringContaining('larger than')]);
    expect(parseJunit(Buffer.from('no gzip')).error).toContain('unpacked');
    const many = `<testsuite>${'<testcase name="a"/>'.repeat(REPORT_LIMITS.cases + 1)}</testsuite>`;
    expect(parse(many).error).toContain(`more than ${REPORT_LIMITS.cases}`);
    const long = 'x'.repeat(REPORT_LIMITS.text * 2);
    const [one] = parse(`<testsuite><testcase name="${long}"><failure>${long}</failure></testcase></testsuite>`).cases;
    expect([one?.name.length, one?.systemOutput?.length]).toEqual([REPORT_LIMITS.text, REPORT_LIMITS.text]);
  });
});
