// Do not edit: scripts/fixtures/make-media-types made this.
//
// Origin: the list of media types of Debian's package media-types 10.0.0, which is in the public domain, with
// the decisions of scripts/fixtures/media-types.d, which come under this package's licence.
// 1618 extensions, 1148 types.

// Literals alone, so that the compiler lays all of it out as constant data.
// swift-format-ignore
extension MediaTypeTable {
    /// Extensions of up to eight bytes, in order and in lower case, with blanks up to the eighth. A dot ends the text.
    static let shortExtensions: StaticString = #"""
        1905.1  1clr    1km     210     3dm     3dml    3g2     3gp     3gpp    3mf     3tz     726     7z      a       \#
        a2l     aa3     aab     aac     aal     aar     aax     abc     abw     ac      ac2     ac3     acc     accdb   \#
        acn     acu     acutc   adoc    adts    aep     afp     age     ahead   ai      aif     aifc    aiff    aion    \#
        ait     ami     aml     amlx    amr     anx     ape     apex    apexlangapk     apkg    apng    appimageapr     \#
        apxml   arj     arrow   arrows  art     artisan arw     asc     ascii   asciidocasf     asice   asics   asm     \#
        asn     asn1    aso     asp     aspx    ass     astro   at3     atc     atf     atfx    atom    atomcat atomsrv \#
        atomsvc atx     atxml   au      auc     avci    avcs    avi     avif    avsc    awb     awk     axa     axv     \#
        azf     azs     azv     azw     azw3    b16     bar     bash    bat     bcpio   bdm     bh2     bib     bik     \#
        bin     bk2     bkm     bmi     bmml    bmp     bmpr    boo     bpd     br      brf     bsp     btf     btif    \#
        bz2     bzl     c       c++     c11amc  c11amz  c3ex    c4f     c4g     c4p     c4u     c9r     c9s     cab     \#
        caf     cap     car     carjson cat     cbor    cbr     cbz     cc      ccc     ccmp    ccxml   cda     cdbcmsg \#
        cdf     cdfx    cdkey   cdmia   cdmic   cdmid   cdmio   cdmiq   cdr     cdt     cdxml   cdy     cea     cellml  \#
        cer     cfg     cgi     cgm     chm     chrt    cif     cii     cil     cjs     cl      cla     class   cld     \#
        clj     clkk    clkp    clkt    clkw    clkx    cls     clue    cmake   cmc     cmd     cml     cmp     cmsc    \#
        cnd     cnf     cod     coffee  com     conf    config  coswid  cpio    cpkg    cpl     cpp     cpt     cql     \#
        cr2     cr3     crate   crl     crt     crtr    crw     crx     cs      csd     csh     csl     csp     csproj  \#
        csr     csrattrscss     cst     csv     csvs    cts     cu      cuc     cue     curl    cw      cwl     cwl.json\#
        cww     cxx     d       d.cts   d.mts   d.ts    dae     daf     dart    datalessdavmountdbf     dcd     dcm     \#
        dd2     ddd     ddeb    ddf     deb     deploy  der     desktop dex     dfac    dib     dif     diff    dii     \#
        dim     dis     dist    distz   dit     dive    divx    djv     djvu    dl      dll     dls     dmg     dms     \#
        dna     dng     doc     docjson docm    docx    dor     dot     dotm    dotx    dp      dpg     dpgraph dpkg    \#
        dpx     drle    dsc     dsm     dssc    dtd     dts     dtshd   dv      dvb     dvc     dvi     dwd     dwf     \#
        dwg     dxf     dxp     dxr     dylib   dzr     ear     ebuild  ecig    eclass  edm     edx     efi     efif    \#
        egg     ei6     ejs     el      eln     emf     eml     emm     emma    ent     entity  env     enw     eol     \#
        eot     ep      eps     eps2    eps3    epsf    epsi    epub    erb     erf     erl     es      es3     esa     \#
        esf     espass  et3     etx     evb     evc     evw     ex      exe     exi     exp     exr     exs     ext     \#
        ez      ez2     ez3     f4v     f90     fb2     fbdoc   fbs     fcdt    fcs     fdf     fdt     feather fg5     \#
        fig     finf    fish    fits    fla     flac    flb     fli     flo     flt     flv     flw     flx     fly     \#
        fm      fo      fodp    fods    fodt    fpx     fs      fsc     fst     ftc     fti     fts     fvt     fxp     \#
        fxpl    fzs     g2w     g3w     gac     gan     gbr     gcd     gcf     gdl     gdz     ged     gem     genozip \#
        geojson gex     gf      gff3    ggb     ggs     ggt     ghf     gif     gim     gl      glb     glbin   glbuf   \#
        glsl    gltf    gml     gnumericgo      gpg     gph     gpkg    gpkg.targpx     gqf     gql     gqs     gradle  \#
        gram    graphql grd     gre     groovy  grv     grxml   gsf     gsheet  gsm     gtar    gtm     gtw     gv      \#
        gxt     gz      h       h++     h5      hal     hans    har     hbc     hbci    hbs     hcl     hdf     hdf5    \#
        hdr     hdt     heic    heics   heif    heifs   hej2    held    hgl     hh      hif     hlsl    hpgl    hpi     \#
        hpid    hpp     hps     hpub    hqx     hs      hsj2    htke    htm     html    hvd     hvp     hvs     hwp     \#
        hxx     i2g     ic0     ic1     ic2     ic3     ic4     ic5     ic6     ic7     ic8     icc     icd     icf     \#
        icm     icns    ico     ics     ief     ifb     ifc     ifm     iges    igl     igm     ign     ignitionigs     \#
        igx     iif     iii     imf     img     imgcal  imi     imp     ims     imscc   ini     ink     inkml   iota    \#
        ipa     ipfix   ipynb   irm     irp     ism     iso     istc    isws    itp     its     ivp     ivu     jad     \#
        jam     jar     java    jfif    jhc     jisp    jl      jls     jlt     jmz     jng     joda    jp2     jpe     \#
        jpeg    jpf     jpg     jpg2    jpgm    jph     jphc    jpm     jpx     jrd     js      json    json5   jsonc   \#
        jsonl   jsonld  jsontd  jsontm  jsp     jsx     jt      jtd     jxl     jxr     jxra    jxrs    jxs     jxsc    \#
        jxsi    jxss    kar     karbon  kcm     kdbx    keynote kfo     kia     kil     kml     kmz     kne     knp     \#
        kom     kon     koz     kpr     kpt     ksp     kt      ktr     kts     ktx     ktx2    ktz     kwd     kwt     \#
        l16     lasjson lasxml  latex   lbc     lbd     lbe     lca     lcs     le      les     less    lgr     lha     \#
        lhs     lhzd    lhzl    lin     link66  lisp    list3820listafp lmp     loas    lock    log     loom    lostxml \#
        lpf     lrm     lsf     lsx     ltx     lua     lvp     lwp     lxf     ly      lyx     lz      lz4     lzh     \#
        lzma    lzx     m       m1v     m21     m2t     m2ts    m2v     m3g     m3u     m3u8    m4a     m4b     m4r     \#
        m4s     m4u     m4v     mads    maei    mag     mail    man     map     markdownmbk     mbox    mc1     mc2     \#
        mcd     md      mdb     mdc     mdi     me      mesh    meta4   metal   mets    mf4     mfm     mft     mgp     \#
        mgz     mhas    mht     mhtml   mid     midi    mif     miz     mj2     mjp2    mjs     mk      mk3d    mka     \#
        mkv     ml      ml2     mli     mlp     mm      mmd     mmdb    mmf     mml     mmr     mng     mobi    moc     \#
        mods    mol2    moml    mov     movie   mp1     mp2     mp21    mp3     mp4     mpa     mpc     mpd     mpdd    \#
        mpe     mpeg    mpega   mpf     mpg     mpg4    mpga    mph     mpkg    mpm     mpn     mpp     mpt     mpw     \#
        mpy     mqy     mrc     mrcx    ms      msa     msd     mseed   mseq    msf     msg     msh     msi     msl     \#
        msm     msp     msty    msu     mtl     mts     mus     musd    mvt     mwc     mwf     mxf     mxi     mxl     \#
        mxmf    mxml    mxs     mxu     n3      nb      nbp     nc      ndc     ndjson  ndl     nds     nebul   nef     \#
        nfo     ngdat   nim     nimn    nitf    nix     nlu     nml     nnd     nns     nnw     notebooknpy     npz     \#
        nq      ns2     ns3     ns4     nsf     nsg     nsh     nt      ntf     numbers nupkg   nwc     o       oa2     \#
        oa3     oas     obg     obgx    obj     oda     odb     odc     odd     odf     odg     odi     odm     odp     \#
        ods     odt     odx     oeb     oga     ogex    ogg     ogv     ogx     omg     one     onepkg  onetmp  onetoc2 \#
        opf     opml    oprc    opus    or2     or3     orf     org     orq     ors     osf     osm     ota     otc     \#
        otf     otg     oth     oti     otp     ots     ott     ova     ovl     oxlicg  oxps    oxt     oza     p       \#
        p10     p12     p21     p2p     p7b     p7c     p7m     p7r     p7s     p7z     p8      p8e     pages   parquet \#
        pas     pat     patch   paw     pbd     pbm     pcap    pcapng  pcf     pcf.z   pcl     pcx     pdf     pdx     \#
        pef     pem     pfa     pfb     pfr     pfx     pgb     pgm     pgn     pgp     php     php3    phtml   pil     \#
        pjpeg   pk      pkd     pkg     pki     pkipath pl      plb     plc     plf     plist   plj     plp     pls     \#
        pm      pml     png     pnm     po      portpkg pot     potm    potx    ppam    ppd     ppkg    ppm     pps     \#
        ppsm    ppsx    ppt     pptm    ppttc   pptx    pqa     pre     preminetprisma  proto   provn   provx   prz     \#
        ps      ps1     psb     psd     pseg3820psfs    psg     psid    pskcxml psm1    pti     ptid    ptrom   pvb     \#
        pwn     py      pya     pyc     pyd     pyi     pyo     pyox    pyv     pyw     qam     qbo     qca     qcall   \#
        qcow2   qcp     qfx     qgs     qps     qt      qtl     quiz    quox    qvd     qwd     qwt     qxb     qxd     \#
        qxl     qxt     r       ra      raf     ram     rapd    rar     ras     rb      rct     rd      rdf     rdoc    \#
        rdz     reg     relo    reload  rep     resx    rfcxml  rgb     rgbe    rif     rip     rl      rlc     rld     \#
        rlm     rm      rmd     rms     rnc     rnd     roa     roff    rp9     rpm     rpss    rpst    rq      rs      \#
        rsat    rsheet  rsm     rss     rst     rtf     rusd    rw2     rxt     s       s11     s14     s1a     s1e     \#
        s1g     s1h     s1j     s1m     s1n     s1p     s1q     s1w     s3df    sac     saf     sar     sarif   sass    \#
        sbv     scala   scd     sce     sci     scim    scl     scld    scm     sco     scq     scs     scsf    scss    \#
        sd2     sda     sdc     sdd     sdkd    sdkm    sdo     sdoc    sdp     sds     sdw     see     seed    sem     \#
        sema    semd    semf    seml    senml   senmlc  senmle  senmlx  sensml  sensmlc sensmle sensmlx ser     service \#
        sfc     sfd     sfs     sfv     sgf     sgi     sgif    sgl     sgm     sgml    sh      shaclc  shar    shc     \#
        shex    shf     shp     shtml   shx     si      sic     sid     sieve   sig     silo    sis     sit     sitx    \#
        siv     sjp     sjpg    skd     skm     skt     sl      sla     slaz    slc     sldm    sldx    sln     sls     \#
        slt     sm      smc     smf     smh     smht    smi     smil    smk     sml     smo     smov    smp     smp3    \#
        smpg    sms     smv     smzip   snap    snd     so      soa     soc     sofa    sol     sos     spd     spdf    \#
        spdx    spf     spn     spng    spo     spot    spp     sppt    spq     spx     sql     sqlite  sqlite3 sr      \#
        srt     sru     srx     ssa     sse     ssf     ssml    ssv     ssvc    ssw     sswf    stc     std     step    \#
        stf     sti     stif    stix    stk     stl     stml    stp     stpnc   stpx    stpxz   stpz    str     stw     \#
        sty     styl    sub     sum     sus     susp    sv4cpio sv4crc  svelte  svg     svgz    swf     swi     swidtag \#
        swift   sxc     sxd     sxg     sxi     sxl     sxls    sxm     sxw     sy2     t       tag     taglet  tam     \#
        tamp    tamx    tao     tap     tar     tar.bz2 tar.gz  tar.xz  tar.zst tat     tatp    tatx    tau     taz     \#
        tbz     tbz2    tcap    tcl     tcu     tcx     td      teacher tei     ter     tex     texi    texinfo text    \#
        tf      tfi     tfx     tga     tgz     thmx    thrift  tif     tiff    tk      tlclienttm      tm.json tmo     \#
        tnef    tnf     toml    topojsontorrent tpl     tpt     tr      tra     trig    ts      tsa     tsd     tsp     \#
        tsq     tsr     tst     tsv     tsx     ttc     ttf     ttl     ttml    tuc     tur     twd     twds    txd     \#
        txf     txt     txz     typ     tzst    u3d     u8dsn   u8hdr   u8mdn   u8msg   udeb    ufd     ufdl    uis     \#
        umj     unitywebuo      uoml    upa     uri     urim    urimap  uris    url     usda    usdz    ustar   utz     \#
        uva     uvd     uvf     uvg     uvh     uvi     uvm     uvp     uvs     uvt     uvu     uvv     uvva    uvvd    \#
        uvvf    uvvg    uvvh    uvvi    uvvm    uvvp    uvvs    uvvt    uvvu    uvvv    uvvx    uvvz    uvx     uvz     \#
        v       vb      vbk     vbox    vbs     vcard   vcf     vcg     vcj     vcs     vcx     vds     ves     vew     \#
        vfk     vfr     viaframevim     vis     viv     vmt     vob     vrml    vsc     vsd     vsdx    vsf     vsix    \#
        vss     vst     vsw     vtf     vtnstd  vtt     vtu     vue     vwx     vxml    wad     wadl    wafl    war     \#
        wasm    wat     wav     wax     wbmp    wbs     wbxml   wcm     wdb     weba    webm    webp    wg      wgsl    \#
        wgt     whl     wif     win     wk      wk1     wk3     wk4     wks     wlnk    wm      wma     wmc     wmd     \#
        wmf     wml     wmlc    wmls    wmlsc   wmv     wmx     wmz     woff    woff2   wpd     wpl     wps     wqd     \#
        wrl     wsc     wsdl    wspolicywtb     wv      wvx     wz      x3d     x3db    x3dv    x3dvz   x3dz    x_b     \#
        x_t     xaml    xar     xav     xbd     xbm     xca     xcf     xcos    xcs     xct     xdd     xdf     xdm     \#
        xdp     xdssc   xdw     xel     xer     xfd     xfdf    xfdl    xhe     xht     xhtm    xhtml   xhvml   xif     \#
        xla     xlam    xlc     xlf     xlim    xlm     xls     xlsb    xlsm    xlsx    xlt     xltm    xltx    xlw     \#
        xml     xmls    xmt_bin xmt_txt xns     xo      xodp    xods    xodt    xop     xotp    xots    xott    xpak    \#
        xpi     xpm     xpr     xps     xpw     xpx     xsf     xsl     xslt    xsm     xspf    xul     xvm     xvml    \#
        xwd     xyze    xz      yaml    yang    yin     yme     yml     yt      z       zaz     zfc     zfo     zig     \#
        zip     zir     zirz    zmm     zone    zsh     zst     .
        """#

    /// The type of each, as a place in ``types``.
    static let shortTypes: [UInt16] = [
        398, 32, 207, 115, 1068, 1068, 1106, 1105, 1105, 995, 448, 825, 719, 723, 0, 835, 108, 826, 833, 71, 859, 1054,
        720, 1041, 254, 827, 231, 101, 832, 216, 217, 1041, 826, 251, 222, 225, 226, 131, 828, 828, 828, 673, 315, 232,
        1, 16, 829, 3, 878, 241, 241, 234, 235, 893, 242, 440, 15, 724, 238, 239, 971, 249, 984, 1041, 1055, 1041, 470,
        328, 329, 1041, 1041, 1041, 214, 1041, 1041, 1041, 1041, 835, 217, 4, 5, 6, 7, 9, 10, 834, 14, 836, 186, 894,
        895, 1146, 896, 75, 830, 1041, 831, 1107, 227, 228, 935, 229, 230, 948, 582, 784, 1041, 725, 651, 353, 1081,
        1130, 108, 1130, 505, 260, 252, 897, 253, 1082, 385, 108, 1041, 1022, 929, 929, 727, 1041, 1083, 1083, 271, 272,
        21, 270, 270, 270, 270, 294, 294, 471, 879, 655, 410, 331, 483, 20, 281, 280, 1083, 1071, 22, 23, 728, 284, 728,
        24, 452, 25, 26, 27, 28, 29, 964, 966, 263, 266, 30, 31, 127, 1041, 1041, 898, 478, 421, 1041, 236, 469, 1036,
        1041, 268, 73, 1009, 1041, 288, 289, 290, 291, 287, 1041, 33, 1041, 286, 1041, 31, 708, 34, 1037, 1041, 589,
        273, 108, 1041, 1041, 183, 732, 697, 35, 1083, 87, 1029, 960, 961, 66, 128, 127, 500, 962, 729, 1041, 837, 733,
        267, 283, 813, 121, 36, 1030, 283, 1031, 1032, 1041, 1041, 188, 1041, 1056, 133, 37, 38, 133, 1083, 1041, 1041,
        1041, 1041, 1010, 460, 298, 341, 41, 301, 42, 43, 540, 354, 302, 653, 302, 108, 127, 1041, 108, 313, 897, 1108,
        1084, 44, 339, 461, 243, 243, 45, 567, 1146, 937, 937, 300, 458, 838, 722, 1058, 309, 959, 102, 310, 493, 558,
        1012, 1065, 494, 559, 562, 312, 312, 698, 900, 899, 1041, 308, 48, 814, 864, 865, 1108, 1126, 50, 736, 11, 1011,
        938, 939, 622, 734, 761, 316, 71, 363, 333, 364, 517, 518, 51, 572, 823, 570, 1041, 1041, 318, 901, 994, 394,
        52, 815, 505, 1041, 842, 862, 477, 258, 131, 131, 131, 131, 131, 54, 1041, 967, 1041, 1036, 327, 563, 320, 326,
        327, 1100, 841, 839, 843, 1041, 458, 55, 56, 968, 1041, 519, 2, 336, 337, 1116, 1041, 737, 762, 940, 219, 414,
        58, 59, 238, 352, 800, 57, 1041, 902, 314, 844, 342, 1109, 456, 1062, 1139, 423, 1064, 1063, 347, 813, 529, 532,
        535, 941, 1041, 348, 942, 345, 237, 902, 1127, 220, 220, 358, 372, 373, 377, 740, 148, 1093, 743, 1012, 338,
        1061, 791, 361, 61, 370, 793, 1034, 367, 368, 369, 378, 903, 379, 1110, 997, 63, 63, 1041, 996, 64, 741, 1041,
        119, 344, 62, 365, 65, 376, 1041, 376, 1041, 178, 1041, 362, 370, 1041, 380, 179, 738, 204, 880, 744, 381, 1013,
        1065, 371, 66, 1083, 1083, 746, 383, 1066, 75, 385, 385, 1041, 1041, 745, 746, 949, 386, 904, 905, 906, 907,
        908, 12, 1067, 1083, 906, 1041, 388, 389, 389, 1083, 390, 134, 86, 1086, 909, 428, 1035, 1035, 701, 703, 702,
        747, 1083, 407, 282, 282, 282, 282, 282, 282, 282, 282, 282, 397, 282, 282, 397, 970, 946, 1028, 910, 1028, 115,
        608, 998, 399, 405, 285, 285, 998, 457, 610, 748, 400, 108, 212, 401, 215, 479, 404, 1041, 68, 68, 250, 108, 69,
        749, 396, 412, 1012, 750, 674, 674, 609, 70, 402, 403, 1074, 415, 71, 1087, 913, 915, 417, 1041, 911, 391, 751,
        972, 418, 912, 913, 913, 917, 913, 912, 916, 914, 915, 916, 917, 74, 1036, 75, 77, 1041, 767, 78, 194, 200,
        1041, 1041, 999, 1059, 918, 919, 920, 921, 922, 923, 924, 925, 849, 420, 505, 752, 244, 422, 429, 753, 374, 375,
        430, 430, 385, 424, 860, 425, 425, 426, 1041, 419, 1041, 926, 927, 419, 427, 427, 846, 433, 434, 1103, 845, 435,
        436, 437, 437, 259, 387, 1041, 79, 754, 1089, 255, 256, 18, 590, 1041, 222, 222, 1012, 858, 1041, 1041, 438, 81,
        83, 480, 1140, 1140, 1103, 1041, 867, 444, 84, 1088, 755, 758, 756, 757, 759, 760, 1041, 1117, 100, 1115, 1115,
        1117, 85, 853, 245, 851, 851, 851, 1111, 1128, 1116, 88, 97, 317, 994, 796, 75, 1038, 462, 93, 451, 1072, 450,
        1038, 101, 447, 947, 1041, 1000, 94, 1041, 95, 96, 455, 149, 561, 578, 848, 994, 994, 849, 849, 459, 1039, 1114,
        1114, 1036, 1041, 1113, 847, 1112, 1041, 646, 1041, 863, 1041, 265, 449, 615, 92, 943, 1141, 763, 1090, 99, 646,
        1014, 1119, 1147, 852, 852, 100, 852, 1116, 852, 883, 39, 40, 1117, 1117, 852, 1070, 1117, 1116, 852, 731, 243,
        257, 467, 490, 490, 335, 395, 463, 90, 91, 797, 498, 340, 340, 499, 321, 482, 1000, 766, 464, 1012, 108, 502,
        108, 1001, 1115, 501, 98, 446, 312, 454, 103, 671, 586, 850, 819, 661, 1128, 1040, 690, 691, 768, 560, 767, 442,
        508, 504, 973, 1041, 514, 1041, 507, 510, 1041, 506, 319, 511, 512, 513, 616, 108, 823, 104, 442, 442, 442, 442,
        442, 442, 105, 442, 246, 823, 769, 770, 350, 351, 349, 548, 547, 1002, 109, 520, 521, 195, 523, 524, 526, 536,
        528, 531, 534, 110, 549, 854, 1015, 854, 1118, 112, 835, 113, 113, 113, 113, 111, 1091, 565, 854, 443, 443, 974,
        1041, 106, 107, 704, 551, 233, 522, 889, 525, 538, 527, 530, 533, 537, 791, 223, 564, 114, 550, 771, 1041, 121,
        122, 115, 687, 774, 123, 123, 775, 124, 123, 125, 126, 247, 240, 1092, 965, 1084, 568, 575, 979, 655, 772, 739,
        739, 392, 976, 117, 118, 977, 773, 738, 738, 60, 122, 945, 980, 264, 119, 1095, 1095, 1095, 571, 913, 794, 385,
        243, 130, 129, 1094, 208, 465, 574, 776, 866, 566, 885, 1094, 296, 928, 978, 1085, 445, 1041, 489, 555, 485,
        297, 699, 981, 484, 488, 554, 484, 486, 657, 552, 565, 441, 576, 1041, 1041, 1042, 132, 441, 131, 1041, 934,
        934, 222, 579, 224, 855, 138, 1041, 930, 581, 619, 209, 213, 1096, 868, 777, 458, 1096, 777, 1018, 1129, 1096,
        322, 408, 325, 325, 778, 840, 409, 779, 580, 1119, 780, 584, 584, 656, 583, 583, 583, 583, 583, 583, 1041, 884,
        969, 884, 145, 585, 963, 1098, 135, 1041, 139, 1041, 299, 1041, 116, 587, 261, 813, 144, 982, 949, 140, 874,
        142, 944, 143, 587, 884, 1041, 416, 141, 135, 150, 1050, 269, 781, 516, 515, 174, 1041, 13, 205, 1012, 151,
        1097, 152, 147, 975, 453, 1041, 1132, 1133, 602, 600, 951, 601, 952, 875, 950, 598, 1135, 595, 593, 191, 705,
        591, 153, 1041, 1041, 1099, 592, 328, 782, 154, 647, 311, 1041, 837, 155, 156, 594, 1041, 886, 627, 625, 628,
        621, 621, 595, 595, 159, 626, 630, 603, 341, 596, 604, 605, 606, 596, 161, 160, 165, 162, 167, 166, 169, 168,
        72, 1041, 509, 346, 623, 1101, 742, 983, 951, 631, 1044, 1044, 784, 1045, 785, 1045, 1046, 171, 611, 1035, 612,
        1075, 680, 855, 172, 120, 1000, 649, 787, 787, 172, 952, 952, 431, 431, 431, 1076, 592, 592, 681, 487, 553,
        1041, 146, 323, 633, 509, 629, 597, 597, 173, 173, 1131, 1041, 1135, 1135, 875, 875, 1132, 210, 856, 632, 618,
        836, 786, 1033, 170, 857, 1041, 1073, 602, 602, 1047, 706, 950, 950, 1069, 1069, 158, 598, 157, 854, 177, 624,
        624, 613, 788, 180, 175, 1041, 432, 324, 181, 607, 293, 1134, 1134, 636, 638, 1003, 694, 640, 599, 182, 67,
        1007, 601, 1003, 115, 1004, 1006, 1005, 569, 644, 1103, 1041, 1041, 1041, 645, 645, 789, 790, 1041, 931, 66,
        218, 248, 184, 1041, 635, 637, 643, 639, 600, 600, 641, 642, 646, 1041, 1043, 503, 541, 542, 543, 654, 953, 791,
        727, 66, 802, 824, 544, 545, 546, 185, 66, 727, 727, 211, 792, 187, 359, 1041, 617, 195, 189, 1103, 795, 795,
        1041, 1041, 196, 933, 985, 66, 481, 1041, 932, 932, 1102, 262, 1049, 200, 659, 491, 491, 201, 75, 726, 1041,
        660, 1050, 662, 202, 1115, 190, 199, 47, 197, 198, 330, 1048, 1041, 888, 890, 1051, 203, 193, 192, 614, 614,
        360, 466, 1041, 802, 1041, 824, 1008, 991, 993, 992, 990, 302, 663, 663, 206, 665, 666, 667, 667, 385, 1052,
        668, 668, 1052, 1041, 1020, 1021, 798, 664, 861, 303, 303, 936, 1120, 936, 1121, 1123, 1124, 304, 1122, 1125,
        861, 303, 303, 936, 1120, 936, 1121, 1123, 1124, 304, 1122, 1125, 305, 306, 305, 306, 1041, 1041, 869, 577,
        1041, 1053, 1053, 382, 712, 1104, 670, 1019, 675, 440, 1060, 658, 658, 1041, 678, 1136, 669, 1117, 1024, 676,
        677, 492, 679, 823, 677, 677, 677, 954, 673, 1079, 1023, 1041, 672, 711, 735, 634, 685, 71, 713, 1041, 876, 881,
        955, 292, 682, 495, 495, 877, 1138, 957, 573, 1080, 715, 823, 714, 1012, 718, 439, 439, 439, 495, 80, 1142, 882,
        689, 764, 958, 1077, 683, 1078, 684, 1143, 1144, 765, 891, 892, 692, 496, 495, 693, 1024, 688, 716, 717, 686,
        887, 1145, 799, 1026, 1025, 1027, 1027, 1026, 1016, 1017, 803, 695, 804, 356, 986, 805, 987, 783, 19, 357, 17,
        806, 652, 221, 49, 355, 807, 808, 696, 810, 696, 858, 811, 811, 811, 819, 956, 472, 473, 472, 812, 700, 472,
        472, 474, 475, 556, 472, 476, 557, 472, 813, 46, 1016, 1017, 809, 539, 276, 278, 274, 816, 277, 279, 275, 366,
        801, 988, 413, 497, 406, 406, 137, 817, 817, 650, 818, 468, 819, 819, 989, 949, 802, 820, 821, 822, 707, 820,
        1137, 730, 710, 343, 620, 1041, 823, 709, 709, 384, 1033, 784, 824,
    ]

    /// Extensions of nine to sixteen bytes, in order, as two numbers each.
    static let longExtensions: [UInt64] = [
        0x61746F6D64656C65, 0x7465640000000000, 0x636F707972696768, 0x7400000000000000, 0x63727970746F6D61,
        0x746F720000000000, 0x63727970746F6E6F, 0x7465000000000000, 0x6563656C70343830, 0x3000000000000000,
        0x6563656C70373437, 0x3000000000000000, 0x6563656C70393630, 0x3000000000000000, 0x6563696770726F66,
        0x696C650000000000, 0x656369677468656D, 0x6500000000000000, 0x656D6F74696F6E6D, 0x6C00000000000000,
        0x66655F6C61756E63, 0x6800000000000000, 0x6A736F6E2D706174, 0x6368000000000000, 0x6C6F737473796E63,
        0x786D6C0000000000, 0x6D6F62696C65636F, 0x6E66696700000000, 0x6D6F64656C2D696E, 0x7465720000000000,
        0x6D756C7469747261, 0x636B000000000000, 0x70726F7065727469, 0x6573000000000000, 0x726370726F66696C,
        0x6500000000000000, 0x7264662D63727970, 0x7400000000000000, 0x73617269662E6A73, 0x6F6E000000000000,
        0x73656E6D6C2D6574, 0x6368630000000000, 0x73656E6D6C2D6574, 0x63686A0000000000, 0x7366642D68647374,
        0x7800000000000000, 0x737064782E6A736F, 0x6E00000000000000, 0x73747564792D696E, 0x7465720000000000,
        0x737966742E6A736F, 0x6E00000000000000, 0x746569636F727075, 0x7300000000000000, 0x746D2E6A736F6E6C,
        0x6400000000000000, 0x7765626D616E6966, 0x6573740000000000,
    ]

    /// The type of each, as a place in ``types``.
    static let longTypes: [UInt16] = [
        8, 1057, 295, 588, 870, 871, 872, 332, 334, 53, 307, 76, 82, 721, 671, 873, 1041, 411, 136, 153, 163, 164, 393,
        176, 671, 648, 195, 200, 89,
    ]

    /// The types, in the order of their letters in lower case.
    static let types: [String] = [
        "application/A2L", "application/AML", "application/andrew-inset", "application/annodex", "application/ATF",
        "application/ATFX", "application/atom+xml", "application/atomcat+xml", "application/atomdeleted+xml",
        "application/atomserv+xml", "application/atomsvc+xml", "application/atsc-dwd+xml", "application/atsc-held+xml",
        "application/atsc-rsat+xml", "application/ATXML", "application/auth-policy+xml",
        "application/automationml-amlx+zip", "application/bacnet-xdd+zip", "application/bbolin",
        "application/calendar+xml", "application/cbor", "application/cccex", "application/ccmp+xml",
        "application/ccxml+xml", "application/CDFX+XML", "application/cdmi-capability", "application/cdmi-container",
        "application/cdmi-domain", "application/cdmi-object", "application/cdmi-queue", "application/CEA",
        "application/cellml+xml", "application/clr", "application/clue_info+xml", "application/cms",
        "application/cpl+xml", "application/csrattrs", "application/cwl", "application/cwl+json",
        "application/dash+xml", "application/dashdelta", "application/davmount+xml", "application/DCD",
        "application/dicom", "application/DII", "application/DIT", "application/dskpp+xml", "application/dsptype",
        "application/dssc+der", "application/dssc+xml", "application/dvcs", "application/efi", "application/emma+xml",
        "application/emotionml+xml", "application/epub+zip", "application/exi", "application/express",
        "application/fastinfoset", "application/fdf", "application/fdt+xml", "application/font-tdpfr",
        "application/geo+json", "application/geopackage+sqlite3", "application/gltf-buffer", "application/gml+xml",
        "application/gpx+xml", "application/gzip", "application/hyperstudio", "application/inkml+xml",
        "application/ipfix", "application/its+xml", "application/java-archive", "application/java-serialized-object",
        "application/java-vm", "application/jrd+json", "application/json", "application/json-patch+json",
        "application/json5", "application/ld+json", "application/lgr+xml", "application/link-format",
        "application/lost+xml", "application/lostsync+xml", "application/lpf+zip", "application/LXF", "application/m3g",
        "application/mac-binhex40", "application/mac-compactpro", "application/mads+xml", "application/manifest+json",
        "application/marc", "application/marcxml+xml", "application/mathml+xml", "application/mbox",
        "application/metalink4+xml", "application/mets+xml", "application/MF4", "application/mmt-aei+xml",
        "application/mmt-usd+xml", "application/mods+xml", "application/mp21", "application/msaccess",
        "application/msword", "application/mxf", "application/n-quads", "application/n-triples",
        "application/ocsp-request", "application/ocsp-response", "application/octet-stream", "application/ODA",
        "application/ODX", "application/oebps-package+xml", "application/ogg", "application/onenote",
        "application/oxps", "application/p21", "application/p2p-overlay+xml", "application/pdf", "application/PDX",
        "application/pgp-encrypted", "application/pgp-signature", "application/pkcs10", "application/pkcs12",
        "application/pkcs7-mime", "application/pkcs7-signature", "application/pkcs8", "application/pkcs8-encrypted",
        "application/pkix-cert", "application/pkix-crl", "application/pkix-pkipath", "application/pkixcmp",
        "application/postscript", "application/provenance+xml", "application/prs.cww", "application/prs.hpub+zip",
        "application/prs.nprend", "application/prs.rdf-xml-crypt", "application/prs.xsf+xml", "application/pskc+xml",
        "application/rdf+xml", "application/reginfo+xml", "application/relax-ng-compact-syntax",
        "application/resource-lists+xml", "application/resource-lists-diff+xml", "application/rfc+xml",
        "application/route-apd+xml", "application/route-s-tsid+xml", "application/route-usd+xml",
        "application/rpki-ghostbusters", "application/rpki-manifest", "application/rpki-roa", "application/rss+xml",
        "application/rtf", "application/sarif+json", "application/scim+json", "application/scvp-cv-request",
        "application/scvp-cv-response", "application/scvp-vp-request", "application/scvp-vp-response",
        "application/sdp", "application/senml+cbor", "application/senml+json", "application/senml+xml",
        "application/senml-etch+cbor", "application/senml-etch+json", "application/senml-exi",
        "application/sensml+cbor", "application/sensml+json", "application/sensml+xml", "application/sensml-exi",
        "application/sgml-open-catalog", "application/shf+xml", "application/sieve", "application/smil+xml",
        "application/sparql-query", "application/sparql-results+xml", "application/spdx+json", "application/sql",
        "application/srgs", "application/srgs+xml", "application/sru+xml", "application/ssml+xml",
        "application/stix+json", "application/swid+cbor", "application/swid+xml", "application/tamp-apex-update",
        "application/tamp-apex-update-confirm", "application/tamp-community-update",
        "application/tamp-community-update-confirm", "application/tamp-error", "application/tamp-sequence-adjust",
        "application/tamp-sequence-adjust-confirm", "application/tamp-update", "application/tamp-update-confirm",
        "application/td+json", "application/tei+xml", "application/thraud+xml", "application/timestamp-query",
        "application/timestamp-reply", "application/timestamped-data", "application/tm+json", "application/toml",
        "application/trig", "application/ttml+xml", "application/urc-grpsheet+xml", "application/urc-ressheet+xml",
        "application/urc-uisocketdesc+xml", "application/vnd.1000minds.decision-model+xml",
        "application/vnd.3gpp.pic-bw-large", "application/vnd.3gpp.pic-bw-var", "application/vnd.3gpp2.sms",
        "application/vnd.3gpp2.tcap", "application/vnd.3lightssoftware.imagescal", "application/vnd.3M.Post-it-Notes",
        "application/vnd.accpac.simply.aso", "application/vnd.accpac.simply.imp", "application/vnd.acucobol",
        "application/vnd.acucorp", "application/vnd.adobe.flash.movie", "application/vnd.adobe.formscentral.fcdt",
        "application/vnd.adobe.fxp", "application/vnd.adobe.xdp+xml", "application/vnd.afpc.modca",
        "application/vnd.afpc.modca-overlay", "application/vnd.afpc.modca-pagesegment", "application/vnd.age",
        "application/vnd.ahead.space", "application/vnd.airzip.filesecure.azf", "application/vnd.airzip.filesecure.azs",
        "application/vnd.amazon.ebook", "application/vnd.amazon.mobi8-ebook", "application/vnd.americandynamics.acc",
        "application/vnd.amiga.ami", "application/vnd.android.ota", "application/vnd.android.package-archive",
        "application/vnd.anki", "application/vnd.anser-web-certificate-issue-initiation",
        "application/vnd.anser-web-funds-transfer-initiation", "application/vnd.apache.arrow.file",
        "application/vnd.apache.arrow.stream", "application/vnd.apache.parquet", "application/vnd.apexlang",
        "application/vnd.appimage", "application/vnd.apple.installer+xml", "application/vnd.apple.keynote",
        "application/vnd.apple.mpegurl", "application/vnd.apple.numbers", "application/vnd.apple.pages",
        "application/vnd.aristanetworks.swi", "application/vnd.artisan+json", "application/vnd.astraea-software.iota",
        "application/vnd.audiograph", "application/vnd.balsamiq.bmml+xml", "application/vnd.balsamiq.bmpr",
        "application/vnd.banana-accounting", "application/vnd.belightsoft.lhzd+zip",
        "application/vnd.belightsoft.lhzl+zip", "application/vnd.blueice.multipass", "application/vnd.bluetooth.ep.oob",
        "application/vnd.bluetooth.le.oob", "application/vnd.bmi", "application/vnd.businessobjects",
        "application/vnd.cendio.thinlinc.clientconf", "application/vnd.chemdraw+xml", "application/vnd.chess-pgn",
        "application/vnd.chipnuts.karaoke-mmd", "application/vnd.cinderella",
        "application/vnd.citationstyles.style+xml", "application/vnd.claymore", "application/vnd.cloanto.rp9",
        "application/vnd.clonk.c4group", "application/vnd.cluetrust.cartomobile-config",
        "application/vnd.cluetrust.cartomobile-config-pkg", "application/vnd.coffeescript",
        "application/vnd.collabio.xodocuments.document", "application/vnd.collabio.xodocuments.document-template",
        "application/vnd.collabio.xodocuments.presentation",
        "application/vnd.collabio.xodocuments.presentation-template",
        "application/vnd.collabio.xodocuments.spreadsheet", "application/vnd.collabio.xodocuments.spreadsheet-template",
        "application/vnd.comicbook+zip", "application/vnd.comicbook-rar", "application/vnd.commerce-battelle",
        "application/vnd.commonspace", "application/vnd.contact.cmsg", "application/vnd.coreos.ignition+json",
        "application/vnd.cosmocaller", "application/vnd.crick.clicker", "application/vnd.crick.clicker.keyboard",
        "application/vnd.crick.clicker.palette", "application/vnd.crick.clicker.template",
        "application/vnd.crick.clicker.wordbank", "application/vnd.criticaltools.wbs+xml",
        "application/vnd.crypto-shade-file", "application/vnd.cryptomator.encrypted",
        "application/vnd.cryptomator.vault", "application/vnd.ctc-posml", "application/vnd.cups-ppd",
        "application/vnd.dart", "application/vnd.data-vision.rdz", "application/vnd.datalog", "application/vnd.dbf",
        "application/vnd.debian.binary-package", "application/vnd.dece.data", "application/vnd.dece.ttml+xml",
        "application/vnd.dece.unspecified", "application/vnd.dece.zip", "application/vnd.denovo.fcselayout-link",
        "application/vnd.desmume.movie", "application/vnd.dna", "application/vnd.document+json",
        "application/vnd.doremir.scorecloud-binary-document", "application/vnd.dpgraph", "application/vnd.dreamfactory",
        "application/vnd.dtg.local.flash", "application/vnd.dvb.ait", "application/vnd.dzr",
        "application/vnd.ecowin.chart", "application/vnd.eln+zip", "application/vnd.enliven",
        "application/vnd.epson.esf", "application/vnd.epson.msf", "application/vnd.epson.quickanime",
        "application/vnd.epson.salt", "application/vnd.epson.ssf", "application/vnd.ericsson.quickcall",
        "application/vnd.espass-espass+zip", "application/vnd.eszigno3+xml", "application/vnd.etsi.asic-e+zip",
        "application/vnd.etsi.asic-s+zip", "application/vnd.etsi.timestamp-token",
        "application/vnd.eu.kasparian.car+json", "application/vnd.evolv.ecig.profile",
        "application/vnd.evolv.ecig.settings", "application/vnd.evolv.ecig.theme",
        "application/vnd.exstream-empower+zip", "application/vnd.ezpix-album", "application/vnd.ezpix-package",
        "application/vnd.familysearch.gedcom+zip", "application/vnd.fastcopy-disk-image", "application/vnd.fdsn.mseed",
        "application/vnd.fdsn.seed", "application/vnd.ficlab.flb+zip", "application/vnd.filmit.zfc",
        "application/vnd.FloGraphIt", "application/vnd.fluxtime.clip", "application/vnd.font-fontforge-sfd",
        "application/vnd.framemaker", "application/vnd.fsc.weblaunch", "application/vnd.fujitsu.oasys",
        "application/vnd.fujitsu.oasys2", "application/vnd.fujitsu.oasys3", "application/vnd.fujitsu.oasysgp",
        "application/vnd.fujitsu.oasysprs", "application/vnd.fujixerox.ddd", "application/vnd.fujixerox.docuworks",
        "application/vnd.fujixerox.docuworks.binder", "application/vnd.fujixerox.docuworks.container",
        "application/vnd.fuzzysheet", "application/vnd.garmin.tcx+xml", "application/vnd.genomatix.tuxedo",
        "application/vnd.genozip", "application/vnd.gentics.grd+json", "application/vnd.gentoo.ebuild",
        "application/vnd.gentoo.eclass", "application/vnd.gentoo.gpkg", "application/vnd.gentoo.xpak",
        "application/vnd.geogebra.file", "application/vnd.geogebra.slides", "application/vnd.geogebra.tool",
        "application/vnd.geometry-explorer", "application/vnd.geonext", "application/vnd.geoplan",
        "application/vnd.geospace", "application/vnd.google-earth.kml+xml", "application/vnd.google-earth.kmz",
        "application/vnd.grafeq", "application/vnd.groove-account", "application/vnd.groove-help",
        "application/vnd.groove-identity-message", "application/vnd.groove-injector",
        "application/vnd.groove-tool-message", "application/vnd.groove-vcard", "application/vnd.hal+xml",
        "application/vnd.HandHeld-Entertainment+xml", "application/vnd.hbci", "application/vnd.hdt",
        "application/vnd.hhe.lesson-player", "application/vnd.hp-HPGL", "application/vnd.hp-hpid",
        "application/vnd.hp-hps", "application/vnd.hp-jlyt", "application/vnd.hp-PCL",
        "application/vnd.hydrostatix.sof-data", "application/vnd.ibm.electronic-media", "application/vnd.ibm.MiniPay",
        "application/vnd.ibm.rights-management", "application/vnd.iccprofile", "application/vnd.ieee.1905",
        "application/vnd.igloader", "application/vnd.imagemeter.folder+zip", "application/vnd.imagemeter.image+zip",
        "application/vnd.immervision-ivp", "application/vnd.immervision-ivu", "application/vnd.ims.imsccv1p1",
        "application/vnd.insors.igm", "application/vnd.intercon.formnet", "application/vnd.intergeo",
        "application/vnd.intu.qbo", "application/vnd.intu.qfx", "application/vnd.ipld.car",
        "application/vnd.ipunplugged.rcprofile", "application/vnd.irepository.package+xml", "application/vnd.is-xpr",
        "application/vnd.isac.fcs", "application/vnd.jam", "application/vnd.jcp.javame.midlet-rms",
        "application/vnd.jisp", "application/vnd.joost.joda-archive", "application/vnd.kahootz",
        "application/vnd.kde.karbon", "application/vnd.kde.kchart", "application/vnd.kde.kformula",
        "application/vnd.kde.kivio", "application/vnd.kde.kontour", "application/vnd.kde.kpresenter",
        "application/vnd.kde.kspread", "application/vnd.kde.kword", "application/vnd.kenameaapp",
        "application/vnd.kidspiration", "application/vnd.Kinar", "application/vnd.koan",
        "application/vnd.kodak-descriptor", "application/vnd.las.las+json", "application/vnd.las.las+xml",
        "application/vnd.llamagraphics.life-balance.desktop", "application/vnd.llamagraphics.life-balance.exchange+xml",
        "application/vnd.logipipe.circuit+zip", "application/vnd.loom", "application/vnd.lotus-1-2-3",
        "application/vnd.lotus-approach", "application/vnd.lotus-freelance", "application/vnd.lotus-notes",
        "application/vnd.lotus-organizer", "application/vnd.lotus-wordpro", "application/vnd.macports.portpkg",
        "application/vnd.mapbox-vector-tile", "application/vnd.marlin.drm.mdcf",
        "application/vnd.maxar.archive.3tz+zip", "application/vnd.maxmind.maxmind-db", "application/vnd.mcd",
        "application/vnd.medcalcdata", "application/vnd.mediastation.cdkey", "application/vnd.medicalholodeck.recordxr",
        "application/vnd.MFER", "application/vnd.mfmp", "application/vnd.micrografx.flo",
        "application/vnd.micrografx.igx", "application/vnd.microsoft.portable-executable", "application/vnd.mif",
        "application/vnd.Mobius.DAF", "application/vnd.Mobius.DIS", "application/vnd.Mobius.MBK",
        "application/vnd.Mobius.MQY", "application/vnd.Mobius.MSL", "application/vnd.Mobius.PLC",
        "application/vnd.Mobius.TXF", "application/vnd.mophun.application", "application/vnd.mozilla.xul+xml",
        "application/vnd.ms-artgalry", "application/vnd.ms-asf", "application/vnd.ms-cab-compressed",
        "application/vnd.ms-excel", "application/vnd.ms-excel.addin.macroEnabled.12",
        "application/vnd.ms-excel.sheet.binary.macroEnabled.12", "application/vnd.ms-excel.sheet.macroEnabled.12",
        "application/vnd.ms-excel.template.macroEnabled.12", "application/vnd.ms-fontobject",
        "application/vnd.ms-htmlhelp", "application/vnd.ms-ims", "application/vnd.ms-lrm",
        "application/vnd.ms-officetheme", "application/vnd.ms-outlook", "application/vnd.ms-pki.seccat",
        "application/vnd.ms-powerpoint", "application/vnd.ms-powerpoint.addin.macroEnabled.12",
        "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
        "application/vnd.ms-powerpoint.slide.macroEnabled.12",
        "application/vnd.ms-powerpoint.slideshow.macroEnabled.12",
        "application/vnd.ms-powerpoint.template.macroEnabled.12", "application/vnd.ms-project",
        "application/vnd.ms-tnef", "application/vnd.ms-visio.drawing",
        "application/vnd.ms-word.document.macroEnabled.12", "application/vnd.ms-word.template.macroEnabled.12",
        "application/vnd.ms-works", "application/vnd.ms-wpl", "application/vnd.ms-xpsdocument",
        "application/vnd.msa-disk-image", "application/vnd.mseq", "application/vnd.multiad.creator",
        "application/vnd.musician", "application/vnd.muvee.style", "application/vnd.mynfc",
        "application/vnd.nebumind.line", "application/vnd.nervana", "application/vnd.neurolanguage.nlu",
        "application/vnd.nimn", "application/vnd.nintendo.nitro.rom", "application/vnd.nintendo.snes.rom",
        "application/vnd.nitf", "application/vnd.noblenet-directory", "application/vnd.noblenet-sealer",
        "application/vnd.noblenet-web", "application/vnd.nokia.n-gage.data", "application/vnd.nokia.radio-preset",
        "application/vnd.nokia.radio-presets", "application/vnd.novadigm.EDM", "application/vnd.novadigm.EDX",
        "application/vnd.novadigm.EXT", "application/vnd.oasis.opendocument.base",
        "application/vnd.oasis.opendocument.chart", "application/vnd.oasis.opendocument.chart-template",
        "application/vnd.oasis.opendocument.formula", "application/vnd.oasis.opendocument.graphics",
        "application/vnd.oasis.opendocument.graphics-template", "application/vnd.oasis.opendocument.image",
        "application/vnd.oasis.opendocument.image-template", "application/vnd.oasis.opendocument.presentation",
        "application/vnd.oasis.opendocument.presentation-flat-xml",
        "application/vnd.oasis.opendocument.presentation-template", "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.spreadsheet-flat-xml",
        "application/vnd.oasis.opendocument.spreadsheet-template", "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.text-flat-xml", "application/vnd.oasis.opendocument.text-master",
        "application/vnd.oasis.opendocument.text-template", "application/vnd.oasis.opendocument.text-web",
        "application/vnd.olpc-sugar", "application/vnd.oma.dd2+xml", "application/vnd.onepager",
        "application/vnd.onepagertamp", "application/vnd.onepagertamx", "application/vnd.onepagertat",
        "application/vnd.onepagertatp", "application/vnd.onepagertatx", "application/vnd.openblox.game+xml",
        "application/vnd.openblox.game-binary", "application/vnd.openeye.oeb",
        "application/vnd.openofficeorg.extension", "application/vnd.openstreetmap.data+xml",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.slide",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
        "application/vnd.openxmlformats-officedocument.presentationml.template",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template", "application/vnd.osa.netdeploy",
        "application/vnd.osgeo.mapguide.package", "application/vnd.osgi.dp", "application/vnd.osgi.subsystem",
        "application/vnd.oxli.countgraph", "application/vnd.palm", "application/vnd.panoply",
        "application/vnd.patentdive", "application/vnd.pawaafile", "application/vnd.pg.format",
        "application/vnd.pg.osasli", "application/vnd.piaccess.application-licence", "application/vnd.picsel",
        "application/vnd.pmi.widget", "application/vnd.pocketlearn", "application/vnd.powerbuilder6",
        "application/vnd.preminet", "application/vnd.previewsystems.box", "application/vnd.proteus.magazine",
        "application/vnd.psfs", "application/vnd.publishare-delta-tree", "application/vnd.pvi.ptid1",
        "application/vnd.qualcomm.brew-app-res", "application/vnd.Quark.QuarkXPress",
        "application/vnd.quobject-quoxdocument", "application/vnd.rar", "application/vnd.recordare.musicxml",
        "application/vnd.resilient.logic", "application/vnd.rig.cryptonote", "application/vnd.rim.cod",
        "application/vnd.route66.link66+xml", "application/vnd.sar", "application/vnd.scribus",
        "application/vnd.sealed.3df", "application/vnd.sealed.csf", "application/vnd.sealed.doc",
        "application/vnd.sealed.eml", "application/vnd.sealed.mht", "application/vnd.sealed.ppt",
        "application/vnd.sealed.tiff", "application/vnd.sealed.xls", "application/vnd.sealedmedia.softseal.html",
        "application/vnd.sealedmedia.softseal.pdf", "application/vnd.seemail", "application/vnd.sema",
        "application/vnd.semd", "application/vnd.semf", "application/vnd.shade-save-file",
        "application/vnd.shana.informed.formdata", "application/vnd.shana.informed.formtemplate",
        "application/vnd.shana.informed.interchange", "application/vnd.shp", "application/vnd.shx",
        "application/vnd.sigrok.session", "application/vnd.SimTech-MindMapper", "application/vnd.smaf",
        "application/vnd.smart.notebook", "application/vnd.smart.teacher", "application/vnd.snap",
        "application/vnd.snesdev-page-table", "application/vnd.software602.filler.form-xml-zip",
        "application/vnd.solent.sdkm+xml", "application/vnd.spotfire.dxp", "application/vnd.spotfire.sfs",
        "application/vnd.sqlite3", "application/vnd.stardivision.calc", "application/vnd.stardivision.chart",
        "application/vnd.stardivision.draw", "application/vnd.stardivision.impress",
        "application/vnd.stardivision.math", "application/vnd.stardivision.writer",
        "application/vnd.stardivision.writer-global", "application/vnd.stepmania.package",
        "application/vnd.stepmania.stepchart", "application/vnd.sun.wadl+xml", "application/vnd.sun.xml.calc",
        "application/vnd.sun.xml.calc.template", "application/vnd.sun.xml.draw",
        "application/vnd.sun.xml.draw.template", "application/vnd.sun.xml.impress",
        "application/vnd.sun.xml.impress.template", "application/vnd.sun.xml.math", "application/vnd.sun.xml.writer",
        "application/vnd.sun.xml.writer.global", "application/vnd.sun.xml.writer.template",
        "application/vnd.sus-calendar", "application/vnd.sybyl.mol2", "application/vnd.sycle+xml",
        "application/vnd.syft+json", "application/vnd.symbian.install", "application/vnd.syncml+xml",
        "application/vnd.syncml.dm+wbxml", "application/vnd.syncml.dm+xml", "application/vnd.syncml.dmddf+xml",
        "application/vnd.tao.intent-module-archive", "application/vnd.tcpdump.pcap", "application/vnd.theqvd",
        "application/vnd.think-cell.ppttc+json", "application/vnd.tml", "application/vnd.tmobile-livetv",
        "application/vnd.trid.tpt", "application/vnd.triscape.mxs", "application/vnd.trueapp", "application/vnd.ufdl",
        "application/vnd.uiq.theme", "application/vnd.umajin", "application/vnd.unity", "application/vnd.uoml+xml",
        "application/vnd.uri-map", "application/vnd.valve.source.material", "application/vnd.vcx",
        "application/vnd.vd-study", "application/vnd.vectorworks", "application/vnd.veritone.aion+json",
        "application/vnd.veryant.thin", "application/vnd.ves.encrypted", "application/vnd.vidsoft.vidconference",
        "application/vnd.visio", "application/vnd.visionary", "application/vnd.vsf", "application/vnd.wap.sic",
        "application/vnd.wap.slc", "application/vnd.wap.wbxml", "application/vnd.wap.wmlc",
        "application/vnd.wap.wmlscriptc", "application/vnd.wasmflow.wafl", "application/vnd.webturbo",
        "application/vnd.wfa.p2p", "application/vnd.wfa.wsc", "application/vnd.wmc",
        "application/vnd.wolfram.mathematica", "application/vnd.wolfram.player", "application/vnd.wordperfect",
        "application/vnd.wqd", "application/vnd.wt.stf", "application/vnd.xara", "application/vnd.xfdl",
        "application/vnd.xmpie.cpkg", "application/vnd.xmpie.dpkg", "application/vnd.xmpie.ppkg",
        "application/vnd.xmpie.xlim", "application/vnd.yamaha.hv-dic", "application/vnd.yamaha.hv-script",
        "application/vnd.yamaha.hv-voice", "application/vnd.yamaha.openscoreformat",
        "application/vnd.yamaha.smaf-audio", "application/vnd.yamaha.smaf-phrase", "application/vnd.yaoweme",
        "application/vnd.yellowriver-custom-menu", "application/vnd.zul", "application/vnd.zzazz.deck+xml",
        "application/voicexml+xml", "application/voucher-cms+json", "application/wasm", "application/watcherinfo+xml",
        "application/widget", "application/wsdl+xml", "application/wspolicy+xml", "application/x-123",
        "application/x-7z-compressed", "application/x-abiword", "application/x-apple-aspen-config",
        "application/x-apple-diskimage", "application/x-archive", "application/x-arj", "application/x-bcpio",
        "application/x-bittorrent", "application/x-bzip2", "application/x-cdf", "application/x-chrome-extension",
        "application/x-compress", "application/x-comsol", "application/x-cpio", "application/x-csh",
        "application/x-director", "application/x-doom", "application/x-dvi", "application/x-fictionbook+xml",
        "application/x-font", "application/x-font-pcf", "application/x-ganttproject", "application/x-gnumeric",
        "application/x-go-sgf", "application/x-graphing-calculator", "application/x-gtar", "application/x-hdf",
        "application/x-hdf5", "application/x-hwp", "application/x-iphone", "application/x-ipynb+json",
        "application/x-iso9660-image", "application/x-jmol", "application/x-keepass2", "application/x-killustrator",
        "application/x-lha", "application/x-lyx", "application/x-lz4", "application/x-lzh", "application/x-lzip",
        "application/x-lzma", "application/x-lzx", "application/x-mach-binary", "application/x-maker",
        "application/x-mobipocket-ebook", "application/x-ms-wmd", "application/x-ms-wmz", "application/x-msi",
        "application/x-ndjson", "application/x-netcdf", "application/x-nwc", "application/x-object",
        "application/x-oz-application", "application/x-pcapng", "application/x-pem-file",
        "application/x-pkcs7-certificates", "application/x-pkcs7-certreqresp", "application/x-plist",
        "application/x-python-code", "application/x-qemu-disk", "application/x-qgis", "application/x-quicktimeplayer",
        "application/x-rpm", "application/x-scilab", "application/x-scilab-xcos", "application/x-sh",
        "application/x-shar", "application/x-sharedlib", "application/x-stuffit", "application/x-subrip",
        "application/x-sv4cpio", "application/x-sv4crc", "application/x-tar", "application/x-tcl",
        "application/x-tex-gf", "application/x-tex-pk", "application/x-texinfo", "application/x-troff-man",
        "application/x-troff-ms", "application/x-ustar", "application/x-wingz", "application/x-xfig",
        "application/x-xpinstall", "application/x-xz", "application/xaml+xml", "application/xcap-att+xml",
        "application/xcap-caps+xml", "application/xcap-diff+xml", "application/xcap-el+xml",
        "application/xcap-error+xml", "application/xcap-ns+xml", "application/xfdf", "application/xhtml+xml",
        "application/xliff+xml", "application/xml", "application/xml-dtd", "application/xml-external-parsed-entity",
        "application/xop+xml", "application/xslt+xml", "application/xspf+xml", "application/xv+xml", "application/yaml",
        "application/yang", "application/yin+xml", "application/zip", "application/zstd", "audio/32kadpcm", "audio/aac",
        "audio/ac3", "audio/aiff", "audio/amr", "audio/amr-wb", "audio/annodex", "audio/asc",
        "audio/ATRAC-ADVANCED-LOSSLESS", "audio/ATRAC-X", "audio/ATRAC3", "audio/basic", "audio/csound", "audio/dls",
        "audio/EVRC", "audio/EVRC-QCP", "audio/EVRCB", "audio/EVRCNW", "audio/EVRCWB", "audio/flac", "audio/iLBC",
        "audio/L16", "audio/matroska", "audio/mhas", "audio/midi", "audio/mobile-xmf", "audio/mp4", "audio/mpeg",
        "audio/mpegurl", "audio/ogg", "audio/prs.sid", "audio/SMV", "audio/sofa", "audio/usac", "audio/vnd.audible.aax",
        "audio/vnd.audiokoz", "audio/vnd.dece.audio", "audio/vnd.digital-winds", "audio/vnd.dolby.mlp", "audio/vnd.dts",
        "audio/vnd.dts.hd", "audio/vnd.everad.plj", "audio/vnd.lucent.voice", "audio/vnd.ms-playready.media.pya",
        "audio/vnd.nortel.vbk", "audio/vnd.nuera.ecelp4800", "audio/vnd.nuera.ecelp7470", "audio/vnd.nuera.ecelp9600",
        "audio/vnd.presonus.multitrack", "audio/vnd.rip", "audio/vnd.sealedmedia.softseal.mpeg", "audio/wav",
        "audio/webm", "audio/x-ape", "audio/x-caf", "audio/x-gsm", "audio/x-ms-wax", "audio/x-ms-wma",
        "audio/x-musepack", "audio/x-pn-realaudio", "audio/x-scpls", "audio/x-sd2", "audio/x-wavpack",
        "font/collection", "font/otf", "font/ttf", "font/woff", "font/woff2", "image/apng", "image/avci", "image/avcs",
        "image/avif", "image/bmp", "image/cgm", "image/dicom-rle", "image/dpx", "image/emf", "image/fits", "image/gif",
        "image/heic", "image/heic-sequence", "image/heif", "image/heif-sequence", "image/hej2k", "image/hsj2",
        "image/ief", "image/jls", "image/jp2", "image/jpeg", "image/jph", "image/jphc", "image/jpm", "image/jpx",
        "image/jxl", "image/jxr", "image/jxrA", "image/jxrS", "image/jxs", "image/jxsc", "image/jxsi", "image/jxss",
        "image/ktx", "image/ktx2", "image/png", "image/prs.btif", "image/prs.pti", "image/svg+xml", "image/tiff",
        "image/tiff-fx", "image/vnd.adobe.photoshop", "image/vnd.airzip.accelerator.azv", "image/vnd.dece.graphic",
        "image/vnd.djvu", "image/vnd.dwg", "image/vnd.dxf", "image/vnd.fastbidsheet", "image/vnd.fpx", "image/vnd.fst",
        "image/vnd.fujixerox.edmics-mmr", "image/vnd.fujixerox.edmics-rlc", "image/vnd.globalgraphics.pgb",
        "image/vnd.microsoft.icon", "image/vnd.ms-modi", "image/vnd.pco.b16", "image/vnd.radiance",
        "image/vnd.sealed.png", "image/vnd.sealedmedia.softseal.gif", "image/vnd.sealedmedia.softseal.jpg",
        "image/vnd.tencent.tap", "image/vnd.valve.source.texture", "image/vnd.wap.wbmp", "image/vnd.xiff", "image/webp",
        "image/wmf", "image/x-adobe-dng", "image/x-canon-cr2", "image/x-canon-cr3", "image/x-canon-crw",
        "image/x-cmu-raster", "image/x-coreldraw", "image/x-coreldrawpattern", "image/x-coreldrawtemplate",
        "image/x-epson-erf", "image/x-exr", "image/x-fuji-raf", "image/x-icns", "image/x-jg", "image/x-jng",
        "image/x-nikon-nef", "image/x-olympus-orf", "image/x-panasonic-rw2", "image/x-pcx", "image/x-pentax-pef",
        "image/x-portable-anymap", "image/x-portable-bitmap", "image/x-portable-graymap", "image/x-portable-pixmap",
        "image/x-rgb", "image/x-sgi", "image/x-sony-arw", "image/x-tga", "image/x-xbitmap", "image/x-xcf",
        "image/x-xpixmap", "image/x-xwindowdump", "message/global", "message/global-delivery-status",
        "message/global-disposition-notification", "message/global-headers", "message/rfc822", "model/3mf",
        "model/gltf+json", "model/gltf-binary", "model/iges", "model/JT", "model/mesh", "model/mtl", "model/obj",
        "model/step", "model/step+xml", "model/step+zip", "model/step-xml+zip", "model/stl", "model/u3d",
        "model/vnd.cld", "model/vnd.collada+xml", "model/vnd.dwf", "model/vnd.gdl", "model/vnd.gtw",
        "model/vnd.moml+xml", "model/vnd.opengex", "model/vnd.parasolid.transmit.binary",
        "model/vnd.parasolid.transmit.text", "model/vnd.pytha.pyox", "model/vnd.sap.vds", "model/vnd.usda",
        "model/vnd.usdz+zip", "model/vnd.valve.source.compiled-map", "model/vnd.vtu", "model/vrml",
        "model/x3d+fastinfoset", "model/x3d+xml", "model/x3d-vrml", "text/calendar", "text/cql", "text/css", "text/csv",
        "text/csv-schema", "text/dns", "text/gff3", "text/html", "text/javascript", "text/jcr-cnd", "text/markdown",
        "text/mizar", "text/n3", "text/plain", "text/provenance-notation", "text/prs.lines.tag", "text/sgml",
        "text/shaclc", "text/shex", "text/spdx", "text/tab-separated-values", "text/texmacs", "text/troff",
        "text/turtle", "text/uri-list", "text/vcard", "text/vnd.abc", "text/vnd.ascii-art", "text/vnd.curl",
        "text/vnd.debian.copyright", "text/vnd.DMClientScript", "text/vnd.esmertec.theme-descriptor",
        "text/vnd.exchangeable", "text/vnd.familysearch.gedcom", "text/vnd.ficlab.flt", "text/vnd.fly",
        "text/vnd.fmi.flexstor", "text/vnd.graphviz", "text/vnd.hans", "text/vnd.hgl", "text/vnd.in3d.3dml",
        "text/vnd.in3d.spot", "text/vnd.ms-mediapackage", "text/vnd.net2phone.commcenter.command",
        "text/vnd.senx.warpscript", "text/vnd.sosi", "text/vnd.sun.j2me.app-descriptor", "text/vnd.wap.si",
        "text/vnd.wap.sl", "text/vnd.wap.wml", "text/vnd.wap.wmlscript", "text/vtt", "text/wgsl", "text/x-bibtex",
        "text/x-boo", "text/x-c", "text/x-diff", "text/x-gettext-translation", "text/x-haskell", "text/x-java",
        "text/x-lilypond", "text/x-literate-haskell", "text/x-moc", "text/x-opml", "text/x-pascal", "text/x-pcs-gcd",
        "text/x-perl", "text/x-php", "text/x-python", "text/x-rst", "text/x-ruby", "text/x-scala", "text/x-setext",
        "text/x-sfv", "text/x-tcl", "text/x-tex", "text/x-vcalendar", "video/3gpp", "video/3gpp2", "video/annodex",
        "video/dv", "video/fli", "video/gl", "video/iso.segment", "video/matroska", "video/matroska-3d", "video/mj2",
        "video/mp2t", "video/mp4", "video/mpeg", "video/ogg", "video/quicktime", "video/vnd.dece.hd",
        "video/vnd.dece.mobile", "video/vnd.dece.mp4", "video/vnd.dece.pd", "video/vnd.dece.sd", "video/vnd.dece.video",
        "video/vnd.dvb.file", "video/vnd.fvt", "video/vnd.mpegurl", "video/vnd.ms-playready.media.pyv",
        "video/vnd.radgamettools.bink", "video/vnd.radgamettools.smacker", "video/vnd.sealed.mpeg1",
        "video/vnd.sealed.mpeg4", "video/vnd.sealed.swf", "video/vnd.sealedmedia.softseal.mov", "video/vnd.vivo",
        "video/vnd.youtube.yt", "video/webm", "video/x-flv", "video/x-la-asf", "video/x-mng", "video/x-ms-wm",
        "video/x-ms-wmv", "video/x-ms-wmx", "video/x-ms-wvx", "video/x-msvideo", "video/x-sgi-movie",
    ]

    /// The extension for files of each type: an index into the short ones followed by the long ones.
    static let preferredExtensions: [UInt16] = [
        14, 44, 364, 47, 79, 80, 81, 82, 1589, 83, 84, 306, 483, 1064, 86, 56, 45, 1509, 647, 1507, 145, 132, 150, 151,
        155, 157, 158, 159, 160, 161, 166, 167, 1, 189, 195, 206, 225, 236, 237, 754, 755, 248, 250, 251, 265, 270,
        1541, 1329, 298, 1513, 304, 320, 330, 1598, 343, 359, 360, 379, 374, 375, 928, 420, 441, 432, 436, 443, 463,
        1236, 543, 547, 556, 561, 1132, 180, 583, 585, 1600, 586, 589, 642, 1465, 657, 1601, 658, 666, 680, 494, 208,
        689, 1617, 772, 773, 737, 697, 707, 709, 710, 690, 791, 742, 676, 702, 282, 795, 826, 833, 876, 877, 112, 845,
        856, 868, 862, 864, 892, 898, 1038, 922, 923, 933, 1157, 896, 897, 902, 904, 906, 907, 168, 213, 943, 942, 980,
        978, 235, 493, 1055, 1607, 1560, 988, 1034, 1045, 1054, 1047, 1049, 1042, 1028, 1175, 1070, 412, 712, 1056,
        1067, 1069, 1090, 1097, 1102, 1103, 1212, 1210, 1114, 1125, 1124, 1127, 1609, 1610, 1126, 1129, 1128, 1131,
        1130, 1198, 1149, 1162, 1183, 1062, 1220, 1612, 1214, 448, 454, 1219, 1224, 1235, 203, 1259, 1286, 88, 1292,
        232, 1297, 1327, 1087, 1340, 1339, 590, 1296, 1303, 1330, 1331, 1328, 1616, 1318, 1325, 1338, 456, 1065, 1357,
        2, 945, 993, 1191, 1290, 537, 994, 72, 539, 29, 78, 1257, 372, 405, 1512, 650, 890, 986, 35, 36, 98, 99, 101,
        102, 26, 43, 880, 51, 52, 175, 402, 58, 59, 909, 50, 54, 268, 608, 682, 835, 908, 1258, 61, 545, 33, 116, 118,
        24, 645, 646, 765, 337, 639, 115, 1040, 1312, 164, 932, 734, 165, 221, 179, 1058, 134, 130, 131, 199, 1548,
        1552, 1546, 1550, 1547, 1551, 147, 146, 517, 222, 153, 529, 191, 187, 183, 184, 185, 186, 1447, 1226, 137, 1591,
        953, 962, 246, 1036, 275, 249, 256, 1374, 1381, 1398, 1399, 1599, 297, 280, 283, 1099, 291, 261, 382, 42, 313,
        691, 326, 819, 350, 779, 1004, 1176, 1223, 1007, 351, 348, 67, 68, 1332, 143, 1596, 316, 1597, 769, 365, 366,
        416, 266, 776, 1118, 384, 1579, 440, 401, 1135, 392, 399, 841, 839, 840, 377, 109, 253, 1514, 1502, 1508, 407,
        1293, 1343, 419, 450, 315, 317, 442, 1553, 424, 425, 426, 421, 462, 408, 409, 612, 613, 444, 410, 427, 429, 453,
        459, 1407, 467, 1585, 471, 477, 640, 488, 489, 492, 568, 920, 1611, 329, 770, 549, 515, 0, 527, 535, 538, 557,
        558, 541, 528, 1558, 505, 1005, 1010, 142, 1606, 550, 1556, 373, 560, 1053, 565, 571, 627, 605, 173, 609, 389,
        617, 619, 621, 628, 497, 610, 614, 1165, 1222, 631, 632, 635, 636, 638, 656, 1463, 55, 979, 830, 873, 665, 957,
        792, 703, 10, 735, 700, 698, 156, 1072, 794, 711, 386, 532, 358, 720, 245, 267, 696, 771, 783, 946, 1344, 766,
        1565, 176, 66, 139, 1532, 1527, 1533, 1534, 1537, 336, 172, 540, 659, 1307, 780, 144, 968, 961, 969, 1172, 966,
        959, 767, 1316, 1425, 284, 288, 1449, 1481, 1557, 775, 778, 215, 790, 786, 1272, 810, 332, 818, 815, 809, 1134,
        816, 820, 821, 822, 813, 1061, 1060, 318, 319, 363, 846, 847, 881, 849, 850, 883, 851, 885, 853, 394, 886, 854,
        395, 887, 855, 396, 852, 888, 884, 1545, 252, 1273, 1274, 1275, 1283, 1284, 1285, 843, 842, 857, 893, 879, 971,
        1173, 967, 960, 1535, 1538, 285, 289, 806, 713, 290, 349, 891, 972, 950, 271, 913, 1244, 323, 937, 321, 1454,
        947, 914, 974, 1403, 714, 985, 1012, 991, 104, 1021, 1016, 1029, 797, 1050, 1592, 198, 648, 1089, 1094, 1086,
        1104, 1113, 1123, 1181, 1211, 1234, 1266, 1238, 1203, 1117, 1120, 1121, 1122, 1225, 525, 555, 533, 1150, 1152,
        1217, 1341, 736, 823, 1295, 1194, 992, 1580, 1111, 310, 1136, 1215, 1108, 1115, 1107, 1109, 1179, 1116, 1141,
        1193, 1177, 1439, 1261, 1229, 1262, 1230, 1264, 1233, 1267, 1268, 1263, 1245, 1250, 730, 1098, 1614, 1159, 1563,
        108, 1511, 255, 1276, 916, 1017, 970, 1415, 1315, 1322, 800, 1324, 1356, 1371, 1358, 1359, 1361, 1364, 1420,
        1410, 796, 1436, 41, 553, 1412, 1423, 1424, 1418, 1426, 1154, 1171, 1448, 1472, 1474, 1440, 1488, 899, 1485,
        1468, 803, 804, 1480, 1483, 1232, 1500, 1519, 205, 293, 963, 1530, 500, 502, 501, 878, 1088, 1205, 1574, 194,
        1583, 1578, 1437, 1408, 1442, 1458, 1456, 1486, 1487, 1460, 12, 22, 1602, 278, 13, 57, 107, 1320, 126, 154, 217,
        1577, 763, 204, 220, 311, 1438, 305, 369, 926, 918, 411, 437, 1138, 414, 458, 474, 466, 503, 534, 548, 552, 569,
        607, 611, 643, 668, 670, 671, 669, 672, 673, 312, 370, 740, 1469, 1477, 782, 807, 805, 837, 838, 894, 917, 925,
        900, 903, 948, 997, 1008, 1011, 1014, 1059, 1096, 1506, 1144, 1146, 1196, 1160, 1218, 1252, 1253, 1278, 1291,
        422, 939, 1300, 693, 774, 1370, 1491, 378, 1554, 1570, 1499, 1501, 1504, 1510, 1515, 1516, 1544, 1518, 1523,
        1529, 1540, 299, 331, 1549, 1561, 1564, 799, 1571, 1572, 1573, 1582, 1588, 11, 32, 25, 40, 46, 94, 96, 28, 18,
        85, 77, 87, 219, 277, 355, 1009, 354, 334, 356, 383, 634, 630, 727, 715, 718, 798, 683, 750, 681, 860, 1155,
        1192, 1199, 653, 20, 618, 1372, 335, 732, 300, 301, 949, 664, 996, 1402, 1593, 1594, 1595, 1604, 1046, 1189,
        1444, 1451, 48, 140, 457, 1445, 1467, 753, 1025, 951, 1106, 1489, 1335, 882, 1336, 1478, 1479, 53, 89, 90, 92,
        117, 171, 295, 294, 327, 381, 428, 478, 479, 480, 481, 482, 496, 522, 567, 572, 576, 579, 564, 581, 582, 596,
        597, 598, 599, 600, 601, 602, 603, 625, 626, 954, 125, 990, 1255, 1309, 1304, 983, 100, 1377, 274, 308, 309,
        371, 397, 400, 738, 1048, 930, 520, 704, 103, 476, 1207, 1140, 1164, 1277, 1431, 1446, 1525, 1453, 1470, 281,
        210, 211, 216, 1030, 162, 911, 163, 345, 361, 1026, 519, 60, 570, 811, 874, 1071, 921, 924, 955, 915, 931, 964,
        1043, 1139, 62, 1305, 1503, 1505, 1555, 1568, 1353, 1350, 1352, 1351, 328, 9, 435, 431, 531, 594, 781, 788, 844,
        1239, 1241, 1243, 1242, 1237, 1349, 181, 244, 307, 415, 460, 744, 859, 1497, 1498, 1001, 1411, 1368, 1369, 123,
        1434, 1484, 1493, 1492, 1494, 521, 209, 226, 228, 229, 1197, 423, 499, 584, 196, 701, 721, 802, 1345, 977, 1271,
        1143, 1145, 1148, 1204, 1333, 1313, 1057, 1337, 1366, 1406, 21, 64, 234, 1590, 279, 595, 1414, 417, 387, 391,
        390, 461, 468, 484, 5, 1209, 759, 149, 699, 1201, 559, 1153, 1168, 1471, 1473, 1433, 1455, 110, 119, 128, 264,
        956, 495, 562, 667, 644, 741, 869, 910, 413, 944, 934, 995, 1068, 1031, 1093, 353, 1137, 1311, 1298, 1409, 7, 6,
        97, 263, 385, 430, 686, 728, 726, 722, 1326, 751, 760, 861, 745, 1376, 1378, 1382, 1379, 1380, 1383, 303, 404,
        801, 1002, 111, 1184, 1190, 1075, 1228, 1187, 1419, 1576, 1452, 388, 660, 739, 1466, 1475, 1476, 1490, 91, 746,
    ]
}
