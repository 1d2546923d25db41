import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { startSites } from './sites.ts'
import { symlinkSync, mkdirSync, rmSync, copyFileSync } from 'node:fs'
rmSync('/tmp/wk',{recursive:true,force:true}); mkdirSync('/tmp/wk/node_modules',{recursive:true}); symlinkSync('/tmp/sb','/tmp/wk/node_modules/seine'); copyFileSync('/tmp/do-spike.js','/tmp/wk/e.js')
const r = await build({ entryPoints:['/tmp/wk/e.js'], bundle:true, write:false, format:'esm', target:'es2024', platform:'neutral', mainFields:['module','main'], conditions:['workerd','worker','browser','import'], external:['node:*','cloudflare:*'], tsconfigRaw:{},logLevel:'error', minify:false, metafile:true })
console.log(Object.keys(r.metafile.outputs), (await import('node:fs')).writeFileSync('/tmp/wk/o.js',r.outputFiles[0].text), Object.values(r.metafile.outputs)[0].imports.filter(i=>i.external).map(i=>i.path))
const mf = new Miniflare({ modules:true, script: r.outputFiles[0].text, compatibilityDate:'2026-07-01', durableObjects:{ S:{className:'Spike', useSQLite:true} } })
const url = await mf.ready
const sites = await startSites()
const go=async(p,i)=>{const t=performance.now();const x=await fetch(new URL(p,url),i);const b=await x.text();console.log(p,x.status,(performance.now()-t).toFixed(1),b.slice(0,300));return b}
const key=await go('/key'); const h={authorization:'Bearer '+key,'content-type':'application/json'}
await go('/api/v1/tasks'); 
const task=JSON.parse(await go('/api/v1/tasks',{method:'POST',headers:h,body:JSON.stringify({name:'x',recipe:{start:{urls:[sites.shop+'/category/pens']},extract:{items:'.product',fields:{name:'h2'}}}})})).data
const ex=JSON.parse(await go(`/api/v1/tasks/${task.id}/executions`,{method:'POST',headers:h,body:'{}'})).data
await go('/tick'); await go('/api/v1/executions/'+ex.id,{headers:h}); await go('/api/v1/executions/'+ex.id+'/results',{headers:h})
await go('/mcp',{method:'POST',headers:{...h,accept:'application/json, text/event-stream'},body:'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'})
await mf.dispose(); await sites.close()
