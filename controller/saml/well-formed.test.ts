import { expect, test } from 'vitest'
import { checkWellFormed } from './well-formed.ts'

const limits = { depth: 4, elements: 6, attributes: 5 }
const check = (text: string) => () => checkWellFormed(text, limits)

test.each([
  '<a/>',
  '<a></a>',
  ' <!-- b --> <a b="c"\n d = \'>"\' ><x:e/>f &amp; &#x41;&#13;</a >\n<!---->',
  '<a>é\u2028😀</a>',
  '<a><b><c><d><e/></d></c></b></a>',
])('%j is well-formed', (text) => {
  expect(check(text)).not.toThrow()
})

test.each([
  ['', 'early'],
  ['text', 'outside'],
  ['<a>', 'early'],
  ['</a>', 'ends another'],
  ['<a></b>', 'ends another'],
  ['<a></a\u00a0>', 'well-formed'],
  ['<a\u0000></a>', 'well-formed'],
  ['<a>\u0000</a>', 'characters'],
  ['<a b="\u0001"/>', 'characters'],
  ['<a>]]></a>', 'characters'],
  ['<a/><b/>', 'two elements'],
  ['<a/>x', 'outside'],
  ['<a/>&lt;', 'outside'],
  ['<a b="c" b="d"/>', 'twice'],
  ['<a b="c"d="e"/>', 'well-formed'],
  ['<a b/>', 'well-formed'],
  ['<a b=c/>', 'well-formed'],
  ['<a b="<"/>', 'well-formed'],
  ['<a>&b;</a>', 'entity'],
  ['<a>& </a>', 'entity'],
  ['<a>&#0;</a>', 'entity'],
  ['<a>&#xD800;</a>', 'entity'],
  ['<a b="&c;"/>', 'entity'],
  ['<a><!-- -- --></a>', '--'],
  ['<a><!-- </a>', 'well-formed'],
  ['<é/>', 'well-formed'],
  ['<a><b><c><d><e></e></d></c></b></a>', 'deeper'],
  ['<a><b/><b/><b/><b/><b/><b/></a>', 'elements'],
  ['<a b="" c="" d="" e="" f="" g=""/>', 'attributes'],
])('%j: %s', (text, reason) => {
  expect(check(text)).toThrow(reason)
})

test('a text that never ends is not looked at twice', () => {
  const before = process.threadCpuUsage()
  for (const part of ['<a ', '<!--', '<a b="', '&', '<a><', ' a="b"'])
    expect(() => checkWellFormed(`<a${part.repeat(60_000)}`, limits)).toThrow(/./)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(1_000)
})
